// Ranks leave, or are lost, in the middle of collective operations: every order of messages and
// farewells, over the code of collectives.h.
//
// A loss is noticed behind all messages of the lost rank, as devices and departures.h promise;
// messages and farewells come in any order. Two orders with the same events on each rank lead to
// the same state, which is visited once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "llcl/collective/collectives.h"
#include "llcl/tests/message_carrier.h"

namespace llcl {
namespace {

constexpr std::uint64_t kTeam = 9;

// The program of a rank: a number of operations, then its departure.
struct Part {
  std::uint32_t operations = 1;
  bool is_lost = false;  // else it leaves
};

// A run of a job up to some point. Not copied: a run is made anew for each order.
class Run {
 public:
  using MakeSchedule = std::function<Schedule(int rank, int size)>;
  Run(const std::vector<Part>& parts, const MakeSchedule& schedule)
      : parts_(parts), schedule_(schedule), ranks_(parts.size()) {
    for (int rank = 0; rank < size(); ++rank) {
      ranks_[Index(rank)].presence.assign(parts.size(), Presence::kHere);
      ranks_[Index(rank)].carrier = std::make_unique<MessageCarrier>(
          Rank{rank},
          [this, rank](Rank to, std::span<const std::byte> bytes) {
            under_way_.push_back({rank, ToInt(to), false, {bytes.begin(), bytes.end()}});
          },
          [this, rank](Rank other) { return ranks_[Index(rank)].presence[Index(ToInt(other))]; });
      ranks_[Index(rank)].collectives =
          std::make_unique<Collectives>(*ranks_[Index(rank)].carrier, 0);
    }
  }

  // How many events are possible now.
  std::size_t choices() {
    events_.clear();
    for (int rank = 0; rank < size(); ++rank) {
      if (MayAct(rank)) events_.push_back({.rank = rank, .is_action = true});
    }
    for (std::size_t i = 0; i < under_way_.size(); ++i) {
      const Message& message = under_way_[i];
      // None can be handled by a rank that has gone.
      if (ranks_[Index(message.to)].is_gone) continue;
      if (message.is_loss && IsSomethingOnItsWay(message)) continue;
      events_.push_back({.rank = message.to, .message = i});
    }
    return events_.size();
  }

  void Do(std::size_t choice) {
    const Event event = events_[choice];
    OneRank& rank = ranks_[Index(event.rank)];
    if (event.is_action) {
      rank.history += "act ";
      return Act(event.rank);
    }
    const Message message = under_way_[event.message];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(event.message));
    rank.history += std::to_string(message.from) + "." + std::to_string(message.number) + " ";
    if (message.is_loss) {
      rank.presence[Index(message.from)] = Presence::kLost;
      rank.collectives->GiveUp();
    } else if (message.is_farewell) {
      ASSERT_EQ(rank.collectives->OnFarewell(Rank{message.from}, message.bytes).heard,
                Collectives::Heard::kAll);
      rank.presence[Index(message.from)] = Presence::kLeft;
      rank.collectives->GiveUp();
    } else {
      EXPECT_TRUE(rank.collectives->OnMessage(Rank{message.from}, message.bytes));
    }
  }

  // Two runs with equal histories are in the same state.
  std::string History() const {
    std::string all;
    for (const OneRank& rank : ranks_) all += rank.history + "| ";
    return all;
  }

  // Nothing more can happen.
  void CheckEnd() const {
    std::uint32_t together = ~0u;  // operations that all ranks take part in
    for (const Part& part : parts_) together = std::min(together, part.operations);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const OneRank& rank = ranks_[i];
      EXPECT_EQ(rank.outcomes.size(), rank.begun) << "an operation never ends: " << History();
      for (std::uint32_t number = 0; number < rank.outcomes.size(); ++number) {
        const Outcome outcome = rank.outcomes[number];
        const bool loses = std::any_of(parts_.begin(), parts_.end(),
                                       [](const Part& part) { return part.is_lost; });
        if (loses) {
          EXPECT_TRUE(outcome == Outcome::kDone || IsGone(outcome)) << History();
        } else if (number < together) {
          EXPECT_EQ(outcome, Outcome::kDone) << "all took part: " << History();
        } else {
          EXPECT_EQ(outcome, Outcome::kLeft) << "a part is missing: " << History();
        }
      }
    }
  }

 private:
  struct Message {
    int from = 0, to = 0;
    bool is_farewell = false;
    std::vector<std::byte> bytes;
    bool is_loss = false;
    int number = 0;  // among those of this sender to this receiver; by NumberNew
  };
  struct OneRank {
    std::unique_ptr<MessageCarrier> carrier;
    std::unique_ptr<Collectives> collectives;
    std::vector<Presence> presence;
    std::vector<Outcome> outcomes;
    std::uint32_t begun = 0;
    bool is_refused = false, is_gone = false;
    std::string history;
  };
  struct Event {
    int rank = 0;
    bool is_action = false;
    std::size_t message = 0;
  };
  static std::size_t Index(int rank) { return static_cast<std::size_t>(rank); }
  int size() const { return static_cast<int>(parts_.size()); }

  // One operation at a time; a rank leaves when its operations have ended, and may be lost before.
  bool MayAct(int number) const {
    const OneRank& rank = ranks_[Index(number)];
    if (rank.is_gone) return false;
    return rank.outcomes.size() == rank.begun ||
           (parts_[Index(number)].is_lost && rank.begun == parts_[Index(number)].operations);
  }

  void Act(int number) {
    OneRank& rank = ranks_[Index(number)];
    const Part& part = parts_[Index(number)];
    if (rank.begun < part.operations && !rank.is_refused) {
      std::vector<Rank> members;
      for (int other = 0; other < size(); ++other) members.push_back(Rank{other});
      const Posted posted = rank.collectives->TryBegin(
          {kTeam, rank.begun},
          {.schedule = std::make_shared<const Schedule>(schedule_(number, size())),
           .own = std::vector<std::byte>(schedule_(number, size()).buffer_bytes),
           .members = std::make_shared<const std::vector<Rank>>(members),
           .combine = [](std::span<std::byte>, std::span<const std::byte>,
                         std::span<const std::byte>) {},
           .then = Completion(
               [](void* data, Outcome outcome) {
                 static_cast<OneRank*>(data)->outcomes.push_back(outcome);
               },
               &rank)});
      rank.is_refused = posted != Posted::kPosted;
      rank.begun += posted == Posted::kPosted ? 1 : 0;
      if (posted == Posted::kLeft) {
        rank.outcomes.push_back(Outcome::kLeft);
        ++rank.begun;
      }
      NumberNew();
      return;
    }
    rank.is_gone = true;
    if (part.is_lost) rank.outcomes.resize(rank.begun, Outcome::kDone);
    const auto farewell = rank.collectives->Farewell();
    for (int other = 0; other < size(); ++other) {
      if (other == number) continue;
      under_way_.push_back({number, other, !part.is_lost, farewell.front(), part.is_lost});
    }
    NumberNew();
  }

  // The number of a message does not depend on messages of other ranks meanwhile.
  void NumberNew() {
    for (Message& message : under_way_) {
      if (message.number == 0) message.number = ++sent_[{message.from, message.to}];
    }
  }

  bool IsSomethingOnItsWay(const Message& loss) const {
    return std::any_of(under_way_.begin(), under_way_.end(), [&](const Message& other) {
      return other.from == loss.from && other.to == loss.to && !other.is_loss;
    });
  }

  const std::vector<Part> parts_;
  const MakeSchedule schedule_;
  std::vector<OneRank> ranks_;
  std::vector<Message> under_way_;
  std::vector<Event> events_;
  std::map<std::pair<int, int>, int> sent_;
};

// Visits every reachable state; returns how many.
std::size_t VisitAll(const std::vector<Part>& parts, const Run::MakeSchedule& schedule) {
  std::set<std::string> seen;
  std::size_t ends = 0;
  std::vector<std::vector<std::size_t>> next = {{}};
  while (!next.empty() && !testing::Test::HasFailure()) {
    const std::vector<std::size_t> order = std::move(next.back());
    next.pop_back();
    Run run(parts, schedule);
    std::size_t choices = run.choices();
    for (const std::size_t choice : order) {
      run.Do(choice);
      choices = run.choices();
    }
    if (!seen.insert(run.History()).second) continue;
    if (choices == 0) {
      run.CheckEnd();
      ++ends;
    }
    for (std::size_t choice = 0; choice < choices; ++choice) {
      next.push_back(order);
      next.back().push_back(choice);
    }
  }
  EXPECT_GT(ends, 0u);
  std::printf("%zu states, %zu of them ends\n", seen.size(), ends);
  return seen.size();
}

Schedule Allreduce(int rank, int size) { return AllreduceSchedule(rank, size, 8); }
Schedule Broadcast(int rank, int size) { return BroadcastSchedule(rank, size, 0, 8); }

TEST(LeaveModel, NoRankThatLeavesAfterItsPartEndsAnothersOperation) {
  for (const Run::MakeSchedule& schedule :
       {Run::MakeSchedule(BarrierSchedule), Run::MakeSchedule(Allreduce),
        Run::MakeSchedule(Broadcast)}) {
    VisitAll({{2}, {2}}, schedule);
    VisitAll({{1}, {1}, {1}}, schedule);
  }
}

TEST(LeaveModel, AnOperationThatLacksTheLeaversPartEndsWithLeftOnAll) {
  VisitAll({{1}, {0}}, BarrierSchedule);
  VisitAll({{2}, {1}}, BarrierSchedule);
  VisitAll({{1}, {1}, {0}}, BarrierSchedule);
  VisitAll({{1}, {1}, {0}}, Allreduce);
}

TEST(LeaveModel, ALossInTheMiddleEndsAllOperations) {
  VisitAll({{1}, {1, true}}, BarrierSchedule);
  VisitAll({{2}, {1, true}}, BarrierSchedule);
  VisitAll({{1}, {1}, {1, true}}, BarrierSchedule);
}

}  // namespace
}  // namespace llcl
