// All that can happen to a block on the host and two devices, in every order: reads, writes that
// end or fail, evictions in the middle of them, what waits brings home, a device that is lost. The
// explorer keeps what each place's memory holds, and does what the mover does: copies, and nothing
// but what the state machine says.
#include <gtest/gtest.h>

#include <array>
#include <compare>
#include <deque>
#include <set>
#include <string>

#include "taskrt/task/replicas.h"

namespace taskrt {
namespace {

constexpr int kPlaces = 3;
constexpr Place kNowhere = -1;

enum class Holds { kNewest, kOther, kPartOfNext };

// A value: comparable, so that each state is looked at once.
struct State {
  std::array<Holds, kPlaces> memory = {Holds::kNewest, Holds::kOther, Holds::kOther};
  std::array<bool, kPlaces> valid = {true, false, false};
  std::array<bool, kPlaces> lost = {};
  Place writer = kNowhere;
  bool overwrites = false, is_data_lost = false;
  auto operator<=>(const State&) const = default;
};

// `Rules`: Replicas, or what a test has made of them.
template <typename Rules>
class Explorer {
 public:
  // Empty: nothing was wrong in any state.
  std::string Explore() {
    Visit({{}, Rules()});
    while (!left_.empty() && wrong_.empty()) {
      const Node node = left_.front();
      left_.pop_front();
      VisitNext(node);
    }
    return wrong_;
  }
  std::size_t states() const { return seen_.size(); }

 private:
  struct Node {
    State state;
    Rules rules;
  };

  void VisitNext(const Node& node) {
    if (node.state.is_data_lost) return;
    for (Place place = 0; place < kPlaces; ++place) {
      Try(node, place, &Explorer::Evict);
      Try(node, place, &Explorer::Lose);
      Try(node, place, &Explorer::Read);
      Try(node, place, &Explorer::BeginOut);
      Try(node, place, &Explorer::BeginInOut);
    }
    Try(node, kHost, &Explorer::End);
    Try(node, kHost, &Explorer::Fail);
    Try(node, kHost, &Explorer::BringHome);
  }
  void Try(Node node, Place place, bool (Explorer::*happens)(Node&, Place)) {
    if ((this->*happens)(node, place)) Visit(node);
  }
  void Visit(Node node) {
    State& state = node.state;
    bool is_anywhere = false;
    for (Place place = 0; place < kPlaces; ++place) {
      const bool valid = state.valid[at(place)] = node.rules.IsAt(place);
      is_anywhere = is_anywhere || valid;
      const bool holds = state.memory[at(place)] == Holds::kNewest || place == state.writer;
      if (valid && !holds && !state.is_data_lost) Wrong("a place that counts lacks the value");
    }
    if (!is_anywhere && !state.overwrites) Wrong("the value is nowhere");
    if (seen_.insert(state).second) left_.push_back(node);
  }
  static std::size_t at(Place place) { return static_cast<std::size_t>(place); }
  void Wrong(const char* what) {
    if (wrong_.empty()) wrong_ = what;
  }

  // As the mover: what is lost is no source. False: only lost places have it.
  bool Copy(Node& node, Place to) {
    while (true) {
      const Place source = node.rules.SourceFor(to, SourceRule::kNearest);
      if (!node.state.lost[at(source)]) {
        if (to == node.state.writer) Wrong("a copy goes over what a task is writing");
        node.state.memory[at(to)] = node.state.memory[at(source)];
        node.rules.Arrived(to);
        return true;
      }
      if (node.rules.IsOnlyAt(source)) {
        node.state.is_data_lost = true;
        return false;
      }
      node.rules.Dropped(source);
    }
  }

  bool Read(Node& node, Place place) {
    if (node.state.writer != kNowhere || node.state.lost[at(place)]) return false;
    if (node.rules.NeedsCopy(place, Mode::kIn) && !Copy(node, place)) return true;
    if (node.state.memory[at(place)] != Holds::kNewest) Wrong("a task reads another value");
    return true;
  }
  bool Begin(Node& node, Place place, Mode mode) {
    if (node.state.writer != kNowhere || node.state.lost[at(place)]) return false;
    if (node.rules.NeedsCopy(place, mode) && !Copy(node, place)) return true;
    node.rules.BeginWrite(place, mode);
    node.state.writer = place;
    node.state.overwrites = !Reads(mode);
    node.state.memory[at(place)] = Holds::kPartOfNext;
    return true;
  }
  bool BeginOut(Node& node, Place place) { return Begin(node, place, Mode::kOut); }
  bool BeginInOut(Node& node, Place place) { return Begin(node, place, Mode::kInOut); }
  bool End(Node& node, Place) {
    State& state = node.state;
    if (state.writer == kNowhere || state.lost[at(state.writer)]) return false;
    node.rules.EndWrite();
    state.memory.fill(Holds::kOther);
    state.memory[at(state.writer)] = Holds::kNewest;
    state.writer = kNowhere;
    state.overwrites = false;
    return true;
  }
  // The old value where there is one; else what is left is the value from then on, the same for
  // all.
  bool Fail(Node& node, Place) {
    State& state = node.state;
    if (state.writer == kNowhere) return false;
    state.memory[at(state.writer)] = Holds::kOther;
    const bool overwrites = state.overwrites;
    const bool can_run_again = node.rules.AbandonWrite();
    state.writer = kNowhere;
    state.overwrites = false;
    for (Place place = 0; place < kPlaces; ++place) {
      if (!node.rules.IsAt(place) || state.memory[at(place)] != Holds::kNewest) continue;
      if (!can_run_again) Wrong("the value is there, but no task is to read it");
      return true;
    }
    if (can_run_again && !overwrites) Wrong("a task is to read again what it has changed");
    if (node.rules.count() != 1) Wrong("places differ after a failure");
    for (Place place = 0; place < kPlaces; ++place) {
      if (node.rules.IsAt(place)) state.memory[at(place)] = Holds::kNewest;
    }
    return true;
  }
  bool BringHome(Node& node, Place) {
    if (node.rules.NeedsWriteBack()) Copy(node, kHost);
    return true;
  }
  // A task's own blocks are pinned.
  bool Evict(Node& node, Place place) {
    if (place == kHost || place == node.state.writer || node.state.lost[at(place)]) return false;
    if (!node.rules.CanDrop(place)) {
      if (!node.rules.NeedsWriteBack()) Wrong("what only an evicted place has cannot come home");
      Copy(node, kHost);
    }
    if (node.rules.IsAt(place)) node.rules.Dropped(place);
    node.state.memory[at(place)] = Holds::kOther;
    return true;
  }
  bool Lose(Node& node, Place place) {
    if (place == kHost || node.state.lost[at(place)]) return false;
    node.state.lost[at(place)] = true;
    return true;
  }

  std::set<State> seen_;
  std::deque<Node> left_;
  std::string wrong_;
};

TEST(Replicas, NoOrderOfEventsLosesTheNewestValueOrCopiesAnotherOverIt) {
  Explorer<Replicas> explorer;
  EXPECT_EQ(explorer.Explore(), "");
  EXPECT_GT(explorer.states(), 100u);
}

// The explorer is worth something if it finds what is wrong with other rules.
struct ComesHomeDuringWrites : Replicas {
  using Replicas::Replicas;
  bool NeedsWriteBack() const { return !IsAt(kHost); }
};
TEST(Replicas, TheExplorerFindsACopyOverWhatATaskIsWriting) {
  EXPECT_EQ(Explorer<ComesHomeDuringWrites>().Explore(), "a copy goes over what a task is writing");
}

struct GoesWithoutLeavingAnything : Replicas {
  using Replicas::Replicas;
  bool CanDrop(Place) const { return true; }
};
TEST(Replicas, TheExplorerFindsAnEvictionThatLosesTheValue) {
  EXPECT_EQ(Explorer<GoesWithoutLeavingAnything>().Explore(), "the value is nowhere");
}

struct CountsWhatAFailedTaskHasLeft : Replicas {
  using Replicas::Replicas;
  void BeginWrite(Place place, Mode mode) {
    before = *this;
    Replicas::BeginWrite(place, mode);
  }
  bool AbandonWrite() {
    const bool can_run_again = Replicas::AbandonWrite();
    static_cast<Replicas&>(*this) = before;
    return can_run_again;
  }
  Replicas before;
};
TEST(Replicas, TheExplorerFindsPlacesThatDifferAfterAFailure) {
  EXPECT_EQ(Explorer<CountsWhatAFailedTaskHasLeft>().Explore(),
            "a place that counts lacks the value");
}

}  // namespace
}  // namespace taskrt
