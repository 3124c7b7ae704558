// The end of work that makes work, over every order of its events: ranks take records, add others
// while they handle one, and read their numbers for the waves, the handled ones first.
//
// Bound: 2 ranks with 4 records, 3 ranks with 3, of which any may add any number of others. Two
// orders that lead to the same state are continued once.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

#include "llcl/aggregator/waves.h"

namespace llcl {
namespace {

constexpr std::size_t kMostRanks = 3;

// Of a rank. A value.
struct Member {
  std::uint8_t under_way = 0;  // records for it
  bool handles = false;        // it has taken a record and may add others
  std::uint8_t sent = 0, handled = 0;
  // In the wave that is under way: 0: nothing is read, 1: handled is, 2: both are.
  std::uint8_t read = 0;
  std::uint8_t read_sent = 0, read_handled = 0;
  auto operator<=>(const Member&) const = default;
};

// A state of the job. A value.
struct State {
  std::array<Member, kMostRanks> members = {};
  std::uint8_t left = 0;   // records that may still be added
  std::uint8_t waves = 0;  // 0: none has ended, 1: one has
  std::uint8_t last_sent = 0, last_handled = 0;
  auto operator<=>(const State&) const = default;
};

class Model {
 public:
  Model(std::size_t ranks, std::uint8_t records) : ranks_(ranks) {
    // The first record is the program's own; it counts as sent by rank 0.
    State state;
    state.left = static_cast<std::uint8_t>(records - 1);
    state.members[0].sent = 1;
    state.members[ranks - 1].under_way = 1;
    Visit(state);
  }
  std::size_t states() const { return seen_.size(); }
  std::size_t ends() const { return ends_; }

 private:
  // Is there a record that was not handled, or a handler that may add others?
  bool HasWork(const State& state) const {
    for (const Member& member : state.members) {
      if (member.under_way > 0 || member.handles) return true;
    }
    return false;
  }
  void Visit(const State& state) {
    if (testing::Test::HasFailure() || !seen_.insert(state).second) return;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      VisitWork(state, rank);
      VisitReading(state, rank);
    }
  }
  void VisitWork(const State& state, std::size_t rank) {
    State next = state;
    Member& member = next.members[rank];
    if (member.handles) {
      member.handles = false;
      ++member.handled;
      Visit(next);
      for (std::size_t to = 0; to < ranks_ && state.left > 0; ++to) {
        next = state;
        --next.left;
        ++next.members[rank].sent;
        ++next.members[to].under_way;
        Visit(next);
      }
    } else if (member.under_way > 0) {
      --member.under_way;
      member.handles = true;
      Visit(next);
    }
  }
  void VisitReading(const State& state, std::size_t rank) {
    State next = state;
    Member& member = next.members[rank];
    if (member.read == 2) return;
    if (member.read++ == 0) {
      member.read_handled = member.handled;
    } else {
      member.read_sent = member.sent;
    }
    Wave wave;
    for (std::size_t i = 0; i < ranks_; ++i) {
      if (next.members[i].read != 2) return Visit(next);
      wave.sent += next.members[i].read_sent;
      wave.handled += next.members[i].read_handled;
    }
    EndWave(next, wave);
  }
  void EndWave(State state, const Wave& wave) {
    Waves waves;
    if (state.waves > 0) (void)waves.Add({state.last_sent, state.last_handled});
    if (waves.Add(wave) == Waves::Found::kEnd) {
      ++ends_;
      EXPECT_FALSE(HasWork(state)) << "ended with work under way";
      return;
    }
    state.waves = 1;
    state.last_sent = static_cast<std::uint8_t>(wave.sent);
    state.last_handled = static_cast<std::uint8_t>(wave.handled);
    for (Member& member : state.members) member.read = member.read_sent = member.read_handled = 0;
    Visit(state);
  }

  const std::size_t ranks_;
  std::set<State> seen_;
  std::size_t ends_ = 0;
};

TEST(WavesModel, EndOnlyWhenAllIsHandled) {
  for (const auto& [ranks, records] : {std::pair{1, 4}, std::pair{2, 4}, std::pair{3, 3}}) {
    const Model model(static_cast<std::size_t>(ranks), static_cast<std::uint8_t>(records));
    std::printf("%d ranks, %d records: %zu states, %zu ends\n", ranks, records, model.states(),
                model.ends());
    EXPECT_GT(model.ends(), 0u);
  }
}

TEST(Waves, EndByTheSecondOfTwoWavesThatAreEqual) {
  Waves waves;
  using Found = Waves::Found;
  EXPECT_EQ(waves.Add({5, 5}), Found::kMoves);
  EXPECT_EQ(waves.Add({6, 6}), Found::kMoves);
  EXPECT_EQ(waves.Add({7, 6}), Found::kMoves);
  EXPECT_EQ(waves.Add({7, 6}), Found::kRests);
  EXPECT_EQ(waves.Add({7, 7}), Found::kMoves);
  EXPECT_EQ(waves.Add({7, 7}), Found::kEnd);
}

TEST(Waves, OfNoRecordsEndByTheSecond) {
  Waves waves;
  EXPECT_EQ(waves.Add({}), Waves::Found::kMoves);
  EXPECT_EQ(waves.Add({}), Waves::Found::kEnd);
}

}  // namespace
}  // namespace llcl
