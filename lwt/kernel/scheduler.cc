#include "lwt/kernel/scheduler.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/kernel/simulator.h"
#include "lwt/pool.h"

namespace lwt {

void Scheduler::DieOfOtherPool(const char* call) {
  DieOfBrokenContract(absl::StrCat(call,
                                   " was called on a worker of another pool: a thread is "
                                   "joined, detached and taken by its own pool's"),
                      __FILE__, __LINE__);
}

// Not inlined: nothing else orders this write before what reads it in Current.
[[gnu::noinline]] Scheduler* Scheduler::BecomeCurrent(Scheduler* scheduler) {
  return static_cast<Scheduler*>(std::exchange(lwt_current_worker, scheduler));
}

Scheduler::Scheduler(Pool& pool, int index, std::uint64_t seed, const PoolOptions& options,
                     Simulator* simulator)
    : Worker(pool, index, seed),
      switcher_(*this),
      cache_(pool),
      simulator_(simulator),
      thief_(*this, options.policy, options.looks_before_sleep),
      ready_(*this, pool.idle_) {
  activity_.trace.Reserve(options.trace_events);
}

void Scheduler::Trace(TraceEvent::Kind kind, int victim, std::uint32_t depth) {
  if (!activity_.trace.is_on()) return;
  activity_.trace.Add({kind, index_, pool_.Nanoseconds(index_), victim, static_cast<int>(depth)});
}

void Scheduler::SpendSimulated(double CostModel::*cost, double SimulatedTime::*part) {
  simulator_->Spend(*this, simulator_->costs().*cost, part);
}

}  // namespace lwt
