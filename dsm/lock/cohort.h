// The threads of one rank that want a lock, and the rank's turns with it: the rule by which a turn
// serves several of them (lock cohorting, Dice, Marathe and Shavit, PPoPP 2012).
//
//   kElsewhere --Enter--> kAsked --Grant--> kHere --Exit--> kHere, or kLeaving --Left--> kElsewhere
//                                                 ------> kHere (lingers) --EndLinger--> the same
//
// The lock's home grants turns to ranks (lock_queue.h). While a turn is here, a thread that enters
// takes the lock if nobody holds it, before threads that sleep: to wake a thread takes longer than
// most sections under a lock. The thread that waits longest is woken to take the lock, too, and
// gets it handed over after it was passed `most_passed` times.
//
// A turn serves `most_served` threads, so many again as long as it is young, and ends where no
// thread of the rank waits. Where one has waited in this turn, the last holder lingers before it
// ends the turn: threads that lock in a loop are outside of the lock for a moment between two
// sections, and a turn costs more than many moments.
//
// Pure. Threads: one at a time. tests/cohort_model_test.cc tries all sequences of the steps of a
// few threads of two ranks.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "dsm/language.h"

namespace dsm {

// A value.
class Cohort {
 public:
  struct Bounds {
    std::uint64_t most_served = 64;  // threads in a term, of which a turn has one or several
    std::uint64_t most_passed = 16;  // threads that pass one that waits
    friend auto operator<=>(const Bounds&, const Bounds&) = default;
  };
  // A thread of this rank that wants the lock, by the number of its request, never used twice.
  using Number = std::uint64_t;

  Cohort() = default;
  explicit Cohort(const Bounds& bounds) : bounds_(bounds) {}

  // A thread wants the lock. kAsk: it waits, and the home is to be asked for a turn.
  enum class Entry { kHolds, kWaits, kAsk };
  Entry Enter(Number number) {
    if (turn_ == Turn::kHere && !is_held_ &&
        (waiting_.empty() || waiting_.front().passed < bounds_.most_passed)) {
      if (!waiting_.empty()) ++waiting_.front().passed;
      Serve();
      return Entry::kHolds;
    }
    waiting_.push_back({number, served_before_});
    has_company_ = turn_ == Turn::kHere;
    if (turn_ != Turn::kElsewhere) return Entry::kWaits;
    turn_ = Turn::kAsked;
    return Entry::kAsk;
  }
  // By a thread that was woken. The number of threads that were served between its Enter and now,
  // where it holds the lock now; else it waits on.
  std::optional<std::uint64_t> TryAgain(Number number) {
    const auto at = Find(number);
    at->is_woken = false;
    if (turn_ != Turn::kHere || is_held_ || at != waiting_.begin()) return std::nullopt;
    return ServeFront();
  }

  // A thread that holds the lock from now on, and does not know it yet.
  struct Served {
    Number number = 0;
    std::uint64_t served_before = 0;  // as of TryAgain
  };
  // The turn that was asked for begins, after so many turns of other ranks. Precondition:
  // is_asked().
  Served Grant(std::uint64_t turns_before) {
    turn_ = Turn::kHere;
    served_in_term_ = 0;
    has_company_ = waiting_.size() > 1;
    served_before_ += turns_before;
    const Number number = waiting_.front().number;
    return {number, ServeFront()};
  }

  struct Exited {
    bool ends_turn = false;             // Left follows, when the turn's changes are at home
    bool lingers = false;               // else: EndLinger follows, after a moment,
    std::optional<Served> served = {};  // or this thread has the lock now,
    std::optional<Number> woken = {};   // or is to be woken
  };
  // Does a term end with the thread that holds the lock?
  bool ends_term() const { return served_in_term_ >= bounds_.most_served; }
  // Of the turn, where ends_term().
  enum class Age { kYoung, kOld };
  // Precondition: is_held(), by the caller.
  Exited Exit(Age age) {
    is_held_ = false;
    if (ends_term()) {
      if (age == Age::kOld) return EndTurn();
      served_in_term_ = 0;
    }
    if (waiting_.empty() && !has_company_) return EndTurn();
    if (waiting_.empty()) return {.lingers = true};
    Waiter& first = waiting_.front();
    if (first.passed >= bounds_.most_passed) {
      const Number number = first.number;
      return {.served = Served{number, ServeFront()}};
    }
    if (std::exchange(first.is_woken, true)) return {};
    return {.woken = first.number};
  }
  // By the thread that lingered: the turn ends, unless another thread has it.
  Exited EndLinger() {
    return turn_ == Turn::kHere && !is_held_ && waiting_.empty() ? EndTurn() : Exited();
  }
  // As Exit, for a holder that gives up the turn.
  Exited EndTurn() {
    is_held_ = false;
    turn_ = Turn::kLeaving;
    return {.ends_turn = true};
  }
  // The turn is given back. The thread that waits longest, for which the home is to be asked for
  // another.
  std::optional<Number> Left() {
    turn_ = waiting_.empty() ? Turn::kElsewhere : Turn::kAsked;
    if (waiting_.empty()) return std::nullopt;
    return waiting_.front().number;
  }

  // The home is lost: returns all threads that wait.
  std::vector<Number> Fail() {
    std::vector<Number> numbers;
    for (const Waiter& waiter : waiting_) numbers.push_back(waiter.number);
    waiting_.clear();
    if (turn_ == Turn::kAsked) turn_ = Turn::kElsewhere;
    return numbers;
  }

  bool is_held() const { return is_held_; }
  bool is_asked() const { return turn_ == Turn::kAsked; }
  friend auto operator<=>(const Cohort&, const Cohort&) = default;

 private:
  enum class Turn { kElsewhere, kAsked, kHere, kLeaving };
  struct Waiter {
    Number number = 0;
    std::uint64_t served_then = 0;
    std::uint64_t passed = 0;
    bool is_woken = false;
    friend auto operator<=>(const Waiter&, const Waiter&) = default;
  };

  std::deque<Waiter>::iterator Find(Number number) {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const Waiter& waiter) { return waiter.number == number; });
  }
  void Serve() {
    is_held_ = true;
    ++served_in_term_;
    ++served_before_;
  }
  std::uint64_t ServeFront() {
    const std::uint64_t served = served_before_ - waiting_.front().served_then;
    waiting_.pop_front();
    Serve();
    return served;
  }

  Bounds bounds_;
  Turn turn_ = Turn::kElsewhere;
  bool is_held_ = false;  // by a thread of this rank
  std::deque<Waiter> waiting_;
  bool has_company_ = false;  // A thread waits that did not ask for the turn, or has in this turn.
  std::uint64_t served_in_term_ = 0;
  std::uint64_t served_before_ = 0;  // threads here, and turns of others
};

}  // namespace dsm
