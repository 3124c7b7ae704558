#include "lwt/guest.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/kernel/overflow_watch.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {
namespace {

// Its address stands for the OS thread.
const void* ThisOsThread() {
  static thread_local char mark;
  return &mark;
}

Scheduler& SchedulerOf(const Pool& pool, int worker) {
  return static_cast<Scheduler&>(pool.worker(worker));
}

// Order: a worker counts itself as a sleeper, Heavy fence, and looks whether it is unparked; its
// waker sets that, Heavy fence, and looks for sleepers. One of them sees the other.
void WakeSleepers(Idle& idle) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (idle.sleepers() > 0) idle.WakeAll();
}

// One for each OS thread that parks.
void WatchOverflows() { static thread_local const OverflowWatch watch; }

}  // namespace

Guest::Guest(Pool& pool, int worker)
    : scheduler_(SchedulerOf(pool, worker)), os_thread_(ThisOsThread()) {
  CheckContract(scheduler_.shared().has_guests,
                "a pool has guests only if PoolOptions::has_guests is set");
  CheckContract(
      !pool.is_of_parent_process(),
      "a child of fork(2) cannot be a guest of its parent's pools: it makes its own pools");
  CheckContract(!scheduler_.has_guest().exchange(true, std::memory_order_acquire),
                "a worker has one guest at a time");
  WatchThisThreadForExit();
  scheduler_.switcher().Visit();
}

Guest::~Guest() {
  CheckIsHere("a Guest's destructor");
  scheduler_.has_guest().store(false, std::memory_order_release);
}

void Guest::CheckIsHere(const char* call) const {
  if (os_thread_ == ThisOsThread() && Worker::Current() != &scheduler_) [[likely]] {
    return;
  }
  DieOfBrokenContract(
      absl::StrCat(call,
                   " is called by the OS thread that is the guest, not by threads that it runs"),
      __FILE__, __LINE__);
}

void Guest::Park() {
  CheckIsHere("Guest::Park");
  WatchOverflows();
  ReadyThreads& ready = scheduler_.ready();
  if (!ready.is_unparked()) scheduler_.switcher().RunUntilUnparked();
  ready.TakeUnpark();
}

bool Guest::RunOne() {
  CheckIsHere("Guest::RunOne");
  WatchOverflows();
  return scheduler_.switcher().RunOne();
}

void Guest::Unpark(Pool& pool, int worker) {
  Scheduler& unparked = SchedulerOf(pool, worker);
  unparked.ready().Unpark();
  WakeSleepers(unparked.shared().idle);
}

void Guest::UnparkAll(Pool& pool) {
  for (int i = 0; i < pool.workers(); ++i) SchedulerOf(pool, i).ready().Unpark();
  WakeSleepers(SchedulerOf(pool, 0).shared().idle);
}

}  // namespace lwt
