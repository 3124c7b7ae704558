// Two ranks that call each other at any time, over the code of acquaintance.h: every order of the
// events, where one call of each rank may be in vain, and be made again.
//
// A call has a greeting on its way to the other rank, and then a verdict on its way back. Neither
// overtakes anything: there is one of each. A rank that awaits the call of the other one calls
// again when the other does not call any more.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "llcl/tcp/acquaintance.h"

namespace llcl {
namespace {

using State = Acquaintance::State;

// The call of a rank. A welcome counts, unless the caller has ended its call meanwhile.
enum class Call { kNone, kGreeting, kWelcome, kCallsItself, kTaken, kEnded };

Call AfterVerdict(Verdict verdict) {
  return verdict == Verdict::kWelcome       ? Call::kWelcome
         : verdict == Verdict::kCallsItself ? Call::kCallsItself
                                            : Call::kTaken;
}

struct World {
  std::array<Acquaintance, 2> of;  // by rank: of the other one
  std::array<Call, 2> calls{};     // by caller
  std::array<int, 2> met_by{-1, -1};
  std::array<bool, 2> has_failed{};  // a call of the rank

  auto Key() const { return std::tuple(of[0].state(), of[1].state(), calls, met_by, has_failed); }
};

constexpr std::size_t Other(std::size_t rank) { return 1 - rank; }

void EndOwnCall(World& world, std::size_t rank) {
  if (world.calls[rank] != Call::kNone) world.calls[rank] = Call::kEnded;
}

std::vector<World> Next(const World& world) {
  std::vector<World> next;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    if (world.calls[rank] == Call::kNone) {
      World wants = world;
      if (wants.of[rank].Want()) {
        wants.calls[rank] = Call::kGreeting;
        next.push_back(wants);
      }
    }
    if (world.calls[rank] == Call::kGreeting) {
      // The other rank hears it.
      World visited = world;
      const std::size_t at = Other(rank);
      const Verdict verdict = visited.of[at].OnVisit(Rank{static_cast<std::int32_t>(at)},
                                                     Rank{static_cast<std::int32_t>(rank)});
      visited.calls[rank] = AfterVerdict(verdict);
      if (verdict == Verdict::kWelcome) {
        visited.met_by[at] = static_cast<int>(rank);
        EndOwnCall(visited, at);
      }
      next.push_back(visited);
      if (!world.has_failed[rank]) {
        World fails = world;
        fails.has_failed[rank] = true;
        fails.calls[rank] = Call::kNone;
        fails.of[rank].OnMissed();
        next.push_back(fails);
      }
    }
    const Call of_other = world.calls[Other(rank)];
    const bool other_calls = of_other != Call::kNone && of_other != Call::kEnded;
    if (world.of[rank].state() == State::kAwaited && !other_calls) {
      World again = world;
      again.of[rank].OnAwaitedInVain();
      again.calls[rank] = Call::kNone;
      next.push_back(again);
    }
    const Call call = world.calls[rank];
    if (call == Call::kWelcome || call == Call::kCallsItself || call == Call::kTaken) {
      World answered = world;
      answered.calls[rank] = Call::kEnded;
      const State before = answered.of[rank].state();
      answered.of[rank].OnVerdict(call == Call::kWelcome       ? Verdict::kWelcome
                                  : call == Call::kCallsItself ? Verdict::kCallsItself
                                                               : Verdict::kTaken);
      if (before == State::kCalled && call == Call::kWelcome) {
        answered.met_by[rank] = static_cast<int>(rank);
      }
      next.push_back(answered);
    }
  }
  return next;
}

TEST(AcquaintanceModel, BothMeetByTheSameCallInEveryOrder) {
  std::set<decltype(World{}.Key())> seen;
  std::vector<World> left = {World{}};
  std::size_t ends = 0;
  bool both_called = false;
  while (!left.empty()) {
    const World world = left.back();
    left.pop_back();
    if (!seen.insert(world.Key()).second) continue;
    const std::vector<World> next = Next(world);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      EXPECT_NE(world.of[rank].state(), State::kGone);
      both_called |= world.calls[0] == Call::kGreeting && world.calls[1] == Call::kGreeting;
    }
    // A connection that one of them keeps is never ended by the other one.
    if (world.met_by[0] >= 0 && world.met_by[1] >= 0) {
      EXPECT_EQ(world.met_by[0], world.met_by[1]);
    }
    if (next.empty()) {
      ++ends;
      for (std::size_t rank = 0; rank < 2; ++rank) {
        EXPECT_EQ(world.of[rank].state(), State::kMet);
        EXPECT_EQ(world.met_by[rank], world.met_by[Other(rank)]);
      }
    }
    left.insert(left.end(), next.begin(), next.end());
  }
  EXPECT_TRUE(both_called);
  EXPECT_GT(ends, 1u);
}

// As the other rank has left, or was lost.
TEST(AcquaintanceModel, AGoneRankIsNeitherCalledNorWelcome) {
  for (const bool has_called : {false, true}) {
    Acquaintance other;
    if (has_called) {
      EXPECT_TRUE(other.Want());
    }
    other.OnGone();
    EXPECT_FALSE(other.Want());
    EXPECT_EQ(other.OnVisit(Rank{0}, Rank{1}), Verdict::kTaken);
    other.OnVerdict(Verdict::kWelcome);
    EXPECT_EQ(other.state(), State::kGone);
  }
}

TEST(AcquaintanceModel, ARankThatWasCalledInVainMayBeCalledAgain) {
  Acquaintance other;
  EXPECT_TRUE(other.Want());
  other.OnVerdict(Verdict::kTaken);
  EXPECT_TRUE(other.Want());
  other.OnMissed();
  EXPECT_TRUE(other.Want());
  other.OnVerdict(Verdict::kWelcome);
  EXPECT_EQ(other.state(), State::kMet);
  other.OnMissed();
  EXPECT_EQ(other.state(), State::kMet);
}

}  // namespace
}  // namespace llcl
