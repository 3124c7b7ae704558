// Runs a small concurrent program under every interleaving of its steps.
//
// The program under test is real code, a template over its atomics; the test
// instantiates it with model::Atomic, whose every operation is a step before
// which any other thread may run. The explorer runs the program again and
// again, depth first through the tree of choices, until every order of steps
// has been seen (or, with a bound on preemptions, every order with at most so
// many involuntary switches). What it proves holds for sequentially consistent
// steps; weaker orderings are the business of the TSan stress beside it.
//
//   model::Outcome outcome = model::ExploreAll([] {
//     auto barrier = std::make_shared<topo::BasicBarrier<model::Atomic>>(2);
//     auto thread = [=] { barrier->ArriveAndWait(); };
//     return model::Program{{thread, thread}, [=] { /* check the end state */ }};
//   });
//   EXPECT_EQ(outcome.failure, "");
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace model {

// One run: what each thread does, and a check once all have ended. Made anew
// for each interleaving, so that every run starts from the same state.
struct Program {
  std::vector<std::function<void()>> threads;
  std::function<void()> check = [] {};
};

struct Limits {
  // Involuntary switches a run may have; negative: no bound, all interleavings.
  int preemptions = -1;
  std::int64_t interleavings = 50'000'000;  // gives up, and says so, beyond these
};

struct Outcome {
  std::int64_t interleavings = 0;
  bool complete = false;  // every interleaving within the limits was run
  std::string failure;    // empty: none; else what was violated and by which schedule
};

// Runs `make()`'s programs; stops at the first failure: a Require that does not
// hold, a deadlock, or an exception.
Outcome ExploreAll(const std::function<Program()>& make, const Limits& limits = {});

// States a property inside a thread or the check of a running program.
void Require(bool holds, const std::string& property);

// A point before which another thread may run. Only for model types.
void Step();
// Which thread of the program runs; -1 outside of a running program.
int CurrentThread();
// Sleeps until Wake is called with the same key. Only for model types.
void Sleep(const void* key);
void Wake(const void* key);
// Wakes one of them: which one is no choice of the schedule.
void WakeOne(const void* key);

// Has the interface of topo::SpinningAtomic and lwt::Atomic; each operation is one step. It
// does not spin: a waiting thread sleeps and must be woken, so that a lost
// wake-up shows as a deadlock.
template <typename T>
class Atomic {
 public:
  explicit Atomic(T value = T()) : value_(value) {}

  T Load(std::memory_order) const {
    Step();
    return value_;
  }
  void Store(T value, std::memory_order) {
    Step();
    value_ = value;
  }
  T FetchAdd(T amount, std::memory_order) {
    Step();
    const T before = value_;
    value_ += amount;
    return before;
  }
  T Exchange(T value, std::memory_order) {
    Step();
    const T before = value_;
    value_ = value;
    return before;
  }
  bool CompareExchange(T& expected, T value, std::memory_order) {
    Step();
    if (value_ == expected) {
      value_ = value;
      return true;
    }
    expected = value_;
    return false;
  }
  void WaitWhile(T old) const {
    Step();
    while (value_ == old) Sleep(this);
  }
  void WakeAll() {
    Step();
    Wake(this);
  }
  // Without the time limit: what only a time-out would mend shows as a deadlock.
  void SleepWhile(T old, std::int64_t /*nanoseconds*/) {
    Step();
    if (value_ == old) Sleep(this);
  }
  void WakeOneSleeper() {
    Step();
    WakeOne(this);
  }
  void WakeAllSleepers() { WakeAll(); }

 private:
  T value_;
};

}  // namespace model
