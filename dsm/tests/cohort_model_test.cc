// All states that a few threads of two ranks lead to, with the cohorts, the queue at home and the
// messages between them, which keep no order; and every step from each.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "dsm/lock/cohort.h"
#include "dsm/lock/lock_queue.h"

namespace dsm {
namespace {

constexpr std::size_t kRanks = 2, kThreads = 4;
constexpr Cohort::Bounds kBounds = {.most_served = 3, .most_passed = 1};

// Of each thread its rank, and how often it locks.
struct Shape {
  std::array<std::size_t, kThreads> ranks;
  std::array<int, kThreads> locks;
  // Between a thread's request and its lock, in the worst case: threads of its rank, and turns of
  // the other.
  std::uint64_t most_served_before;
  bool some_give_up = false;  // the turn
};
constexpr Shape kTwoAndTwo = {{0, 1, 0, 1}, {2, 2, 2, 1}, 3};
constexpr Shape kThreeAndOne = {{0, 0, 0, 1}, {2, 2, 1, 1}, 4};
constexpr Shape kWhereSomeGiveUp = {{0, 1, 0, 1}, {2, 2, 1, 1}, 4, true};

enum class Doing { kNothing, kWaits, kIsWoken, kHolds, kLingers, kEndsTurn };

struct Thread {
  Doing doing = Doing::kNothing;
  int left = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const Thread&, const Thread&) = default;
};

struct Message {
  enum Kind { kRequest, kRelease, kGrant } kind = kRequest;
  std::size_t rank = 0;
  std::uint64_t asker = 0, served_before = 0;
  friend auto operator<=>(const Message&, const Message&) = default;
};

Shape shape;

struct World {
  std::array<Cohort, kRanks> cohorts = {Cohort(kBounds), Cohort(kBounds)};
  std::array<std::uint64_t, kRanks> turns = {}, requests = {}, served_in_term = {};
  LockQueue queue;
  std::array<Thread, kThreads> threads = {};
  std::vector<Message> messages;

  Thread& ThreadOf(std::size_t rank, std::uint64_t number) {
    return *std::find_if(threads.begin(), threads.end(), [&](const Thread& thread) {
      return shape.ranks[static_cast<std::size_t>(&thread - threads.data())] == rank &&
             thread.number == number && thread.doing != Doing::kNothing;
    });
  }
  void Send(const Message& message) {
    messages.insert(std::lower_bound(messages.begin(), messages.end(), message), message);
  }
  friend auto operator<=>(const World&, const World&) = default;
};

std::set<World> seen;
std::uint64_t most_served_before = 0, ends = 0, handed_over = 0, passed = 0, further_terms = 0,
              taken_over = 0;

void Hold(World& world, std::size_t rank, Thread& thread, std::uint64_t served_before) {
  for (const Thread& other : world.threads) ASSERT_NE(other.doing, Doing::kHolds);
  ASSERT_LE(++world.served_in_term[rank], kBounds.most_served);
  ASSERT_LE(served_before, shape.most_served_before);
  most_served_before = std::max(most_served_before, served_before);
  thread.doing = Doing::kHolds;
}

void Deliver(World& world, const Message& message) {
  const LockQueue::Asker asker = {static_cast<int>(message.rank), message.asker};
  if (message.kind == Message::kGrant) {
    Cohort& cohort = world.cohorts[message.rank];
    ASSERT_TRUE(cohort.is_asked());
    world.turns[message.rank] = message.asker;
    world.served_in_term[message.rank] = 0;
    const Cohort::Served served = cohort.Grant(message.served_before);
    ASSERT_EQ(served.number, message.asker) << "the thread that asked is the first to be served";
    Hold(world, message.rank, world.ThreadOf(message.rank, served.number), served.served_before);
    return;
  }
  const auto grant =
      message.kind == Message::kRelease ? world.queue.Release(asker) : world.queue.Request(asker);
  if (!grant) return;
  world.Send({Message::kGrant, static_cast<std::size_t>(grant->to.rank), grant->to.number,
              grant->served_before});
}

// How a thread that holds the lock leaves it: the turn, where a term ends, is old or not, or the
// thread gives up the turn, as one does whose changes did not come home.
enum class Leaves { kYoung, kOld, kGivesUp };

// False: the thread waits for another step.
bool Step(World& world, std::size_t number, Leaves leaves) {
  Thread& thread = world.threads[number];
  const std::size_t rank = shape.ranks[number];
  Cohort& cohort = world.cohorts[rank];
  switch (thread.doing) {
    case Doing::kWaits:
      return false;
    case Doing::kNothing:
      if (thread.left == 0) return false;
      thread.number = ++world.requests[rank];
      thread.doing = Doing::kWaits;
      switch (cohort.Enter(thread.number)) {
        case Cohort::Entry::kHolds:
          ++passed;
          Hold(world, rank, thread, 0);
          break;
        case Cohort::Entry::kAsk:
          world.Send({Message::kRequest, rank, thread.number});
          break;
        case Cohort::Entry::kWaits:
          break;
      }
      return true;
    case Doing::kIsWoken:
      thread.doing = Doing::kWaits;
      if (const auto served_before = cohort.TryAgain(thread.number)) {
        Hold(world, rank, thread, *served_before);
      }
      return true;
    case Doing::kHolds: {
      if (cohort.ends_term() && leaves == Leaves::kYoung) {
        ++further_terms;
        world.served_in_term[rank] = 0;
      }
      const Cohort::Exited exited =
          leaves == Leaves::kGivesUp
              ? cohort.EndTurn()
              : cohort.Exit(leaves == Leaves::kOld ? Cohort::Age::kOld : Cohort::Age::kYoung);
      --thread.left;
      thread.doing = exited.ends_turn ? Doing::kEndsTurn
                     : exited.lingers ? Doing::kLingers
                                      : Doing::kNothing;
      if (exited.served) {
        ++handed_over;
        Hold(world, rank, world.ThreadOf(rank, exited.served->number),
             exited.served->served_before);
      }
      if (exited.woken) {
        Thread& woken = world.ThreadOf(rank, *exited.woken);
        EXPECT_EQ(woken.doing, Doing::kWaits);
        woken.doing = Doing::kIsWoken;
      }
      return true;
    }
    case Doing::kLingers:
      thread.doing = cohort.EndLinger().ends_turn ? Doing::kEndsTurn : Doing::kNothing;
      taken_over += thread.doing == Doing::kNothing ? 1 : 0;
      return true;
    case Doing::kEndsTurn:
      thread.doing = Doing::kNothing;
      world.Send({Message::kRelease, rank, world.turns[rank]});
      if (const auto next = cohort.Left()) world.Send({Message::kRequest, rank, *next});
      return true;
  }
  return false;
}

void Explore(const World& world) {
  if (testing::Test::HasFatalFailure() || !seen.insert(world).second) return;
  bool goes_on = false;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    for (const Leaves leaves : {Leaves::kYoung, Leaves::kOld, Leaves::kGivesUp}) {
      if (leaves == Leaves::kGivesUp && !shape.some_give_up) continue;
      World next = world;
      if (!Step(next, thread, leaves)) continue;
      goes_on = true;
      Explore(next);
    }
  }
  for (std::size_t i = 0; i < world.messages.size(); ++i) {
    World next = world;
    next.messages.erase(next.messages.begin() + static_cast<std::ptrdiff_t>(i));
    Deliver(next, world.messages[i]);
    goes_on = true;
    Explore(next);
  }
  if (goes_on) return;
  ++ends;
  for (const Thread& thread : world.threads) {
    ASSERT_EQ(thread.left, 0) << "a thread waits for ever";
    ASSERT_EQ(thread.doing, Doing::kNothing);
  }
  ASSERT_FALSE(world.queue.holder().has_value());
}

void ExploreAll(const Shape& of) {
  shape = of;
  seen.clear();
  most_served_before = ends = handed_over = passed = further_terms = taken_over = 0;
  World world;
  for (std::size_t i = 0; i < kThreads; ++i) world.threads[i].left = shape.locks[i];
  Explore(world);
  EXPECT_GT(seen.size(), 10'000u);
  EXPECT_GT(ends, 0u);
  EXPECT_GT(handed_over, 0u);
  EXPECT_GT(passed, 0u);
  EXPECT_GT(further_terms, 0u);
  EXPECT_GT(taken_over, 0u);
  EXPECT_EQ(most_served_before, shape.most_served_before);
}

TEST(CohortModel, WithTwoThreadsAndTwoOneHoldsTheLockAndEachGetsItInBoundedTurns) {
  ExploreAll(kTwoAndTwo);
}

TEST(CohortModel, WithThreeThreadsAndOneOneHoldsTheLockAndEachGetsItInBoundedTurns) {
  ExploreAll(kThreeAndOne);
}

TEST(CohortModel, ATurnThatIsGivenUpLeavesNobodyWaiting) { ExploreAll(kWhereSomeGiveUp); }

TEST(Cohort, ALostHomeFailsAllThatWait) {
  Cohort cohort;
  EXPECT_EQ(cohort.Enter(1), Cohort::Entry::kAsk);
  EXPECT_EQ(cohort.Enter(2), Cohort::Entry::kWaits);
  EXPECT_EQ(cohort.Fail(), (std::vector<Cohort::Number>{1, 2}));
  EXPECT_FALSE(cohort.is_asked()) << "a grant that comes late is none";
  EXPECT_EQ(cohort.Enter(3), Cohort::Entry::kAsk);
}

}  // namespace
}  // namespace dsm
