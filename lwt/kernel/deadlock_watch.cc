#include "lwt/kernel/deadlock_watch.h"

#include <string>

#include "lwt/kernel/owner.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/options.h"
#include "lwt/wait/blocked_threads.h"
#include "lwt/wait/deadlock_report.h"

namespace lwt {
namespace {

// Of the searches of all workers.
std::int64_t Finds(const PoolShared& pool) {
  std::int64_t finds = 0;
  for (Scheduler* const scheduler : pool.schedulers) {
    finds += scheduler->activity().counters.finds.value();
  }
  return finds;
}

// Of SuspendCounted, on all workers.
std::int64_t Waits(const PoolShared& pool, WokenBy by) {
  std::int64_t waits = 0;
  for (Scheduler* const scheduler : pool.schedulers) {
    waits += scheduler->activity().waits_by(by).value();
  }
  return waits;
}

}  // namespace

DeadlockWatch::DeadlockWatch(const PoolOptions& options)
    : woken_from_outside_(options.woken_from_outside), report_after_(options.stall_report_after) {}

void DeadlockWatch::Check(const PoolShared& pool, Thief& searcher) {
  // No thread runs and none is ready, and none was meanwhile: a worker that has run a thread
  // has counted a find, or is not asleep again.
  const std::int64_t finds = Finds(pool);
  const auto do_all_sleep = [&] {
    return !searcher.IsThereWork() && pool.idle.sleepers() == pool.workers() &&
           Finds(pool) == finds;
  };
  if (pool.idle.sleepers() != pool.workers() || !pool.outside.does_any_await() ||
      Waits(pool, WokenBy::kSystem) > 0) {
    return;
  }
  const bool from_outside = woken_from_outside_ && Waits(pool, WokenBy::kAnyone) > 0;
  if (!do_all_sleep()) return;
  if (from_outside && !IsStall(finds)) return;
  std::string report = BlockedThreads(pool.descriptors);
  // Once more: a thread in the report may have begun to wait only now. Where a call is done
  // and its caller has not yet woken, the report is empty.
  if (report.empty()) return;
  report += EndedHolders(pool.descriptors);
  const std::optional<std::string> stacks = Stacks(pool, do_all_sleep);
  if (!stacks.has_value()) return;
  if (!from_outside) DieOfDeadlock(report, *stacks);
  WarnOfStall(report, *stacks);
}

template <typename DoAllSleep>
std::optional<std::string> DeadlockWatch::Stacks(const PoolShared& pool, DoAllSleep do_all_sleep) {
  const topo::Lock lock(mutex_);
  is_reading_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::optional<std::string> stacks;
  if (do_all_sleep()) stacks = BlockedStacks(pool.descriptors);
  is_reading_.store(false, std::memory_order_seq_cst);
  return stacks;
}

bool DeadlockWatch::IsStall(std::int64_t finds) {
  if (report_after_ <= std::chrono::nanoseconds::zero()) return false;
  const auto now = std::chrono::steady_clock::now();
  const topo::Lock lock(mutex_);
  if (stall_.finds != finds) stall_ = {finds, now, false};
  if (stall_.is_reported || now - stall_.since < report_after_) return false;
  stall_.is_reported = true;
  return true;
}

}  // namespace lwt
