// How a worker without work looks for some by its policy, how long it waits between two steals, and
// when it gives up and sleeps.
//
// Threads: its worker, but for SetPolicy and is_asleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "lwt/policy.h"
#include "lwt/ready_thread.h"

namespace lwt {

class Scheduler;
struct Descriptor;

// A value: how long a thief waits before its next steal.
//
// A loop that creates and joins leaves its continuation in the queue for some nanoseconds at a
// time. A thief that takes it moves the loop to another core for nothing, and the victim takes it
// back. So a steal whose work was over within kWorthwhileNanoseconds makes the thief wait before
// its next, twice as long each time; a steal that was worth it halves the wait.
class StealBackOff {
 public:
  void OnSteal(std::int64_t now_ns) { stolen_at_ns_ = now_ns; }
  // Before the first steal of a search.
  std::int64_t WaitBeforeSteal(std::int64_t now_ns);

 private:
  std::int64_t stolen_at_ns_ = 0;  // when the last search ended in a steal; else 0
  std::int64_t wait_ns_ = 0;
};

// A resource of a scheduler.
class Thief {
 public:
  // `looks`: PoolOptions::looks_before_sleep.
  Thief(Scheduler& scheduler, const AnyPolicy& policy, int looks)
      : scheduler_(scheduler), looks_(looks), policy_(policy) {}
  ~Thief() { delete next_policy_.load(); }
  Thief(const Thief&) = delete;
  Thief& operator=(const Thief&) = delete;

  // A thread to run; null: the pool stops, or the worker's guest is to leave Park.
  Descriptor* Search();

  // The same without waiting: looks once. Null: it found none.
  Descriptor* Look() { return LookOnce(); }

  // Is there a thread in any queue of the pool, or in the policy's own?
  bool IsThereWork();
  // By any thread: before its next steal the worker takes this one.
  void SetPolicy(std::unique_ptr<AnyPolicy> policy) {
    delete next_policy_.exchange(policy.release(), std::memory_order_acq_rel);
  }
  bool is_asleep() const { return is_asleep_.load(std::memory_order_relaxed); }

 private:
  ReadyThread StealByPolicy();
  bool HasPolicyWork();
  bool IsToReturn() const;
  Descriptor* BackOff();
  Descriptor* LookOnce();
  Descriptor* Finish(Descriptor* found);
  void CountRefusal();
  void SleepUntilWorkOrTimer(std::int64_t longest_ns);

  Scheduler& scheduler_;
  const int looks_;
  AnyPolicy policy_;
  std::atomic<AnyPolicy*> next_policy_{nullptr};  // from SetPolicy; taken by the worker
  StealBackOff back_off_;
  int refusals_ = 0;  // rounds of searching in a row without a thread though there are some
  std::atomic<bool> is_asleep_{false};
};

}  // namespace lwt
