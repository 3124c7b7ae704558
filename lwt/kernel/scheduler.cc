#include "lwt/kernel/scheduler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/simulator.h"
#include "lwt/options.h"

namespace lwt {

void Scheduler::DieOfOtherPool(const char* call) {
  DieOfBrokenContract(absl::StrCat(call,
                                   " was called on a worker of another pool: a thread is joined, "
                                   "detached and taken by threads of its own pool"),
                      __FILE__, __LINE__);
}

// Not inlined: nothing else orders this write before what reads it in Current.
[[gnu::noinline]] Scheduler* Scheduler::BecomeCurrent(Scheduler* scheduler) {
  return static_cast<Scheduler*>(std::exchange(lwt_current_worker, scheduler));
}

Scheduler::Scheduler(Pool& pool, PoolShared& shared, int index, std::uint64_t seed,
                     const PoolOptions& options)
    : Worker(pool, index, seed),
      switcher_(*this),
      cache_(shared),
      simulator_(shared.simulator),
      shared_(shared),
      thief_(*this, options.policy, options.looks_before_sleep),
      ready_(*this, shared.idle) {
  activity_.trace.Reserve(options.trace_events);
}

void Scheduler::Trace(TraceEvent::Kind kind, int victim, std::uint32_t depth) {
  if (!activity_.trace.is_on()) return;
  activity_.trace.Add({kind, index_, Nanoseconds(), victim, static_cast<int>(depth)});
}

double Scheduler::Nanoseconds() const {
  if (simulator_ != nullptr) return simulator_->Clock(index_);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - shared_.made)
      .count();
}

std::chrono::steady_clock::time_point Scheduler::Now() const {
  using Clock = std::chrono::steady_clock;
  if (simulator_ == nullptr) return Clock::now();
  // A worker that has computed for centuries is at the end of time.
  const auto left =
      std::chrono::duration<double, std::nano>(Clock::time_point::max() - shared_.made);
  const double now = Nanoseconds();
  if (now >= left.count()) return Clock::time_point::max();
  return shared_.made + std::chrono::nanoseconds(static_cast<std::int64_t>(now));
}

void Scheduler::SpendSimulated(double CostModel::*cost, double SimulatedTime::*part) {
  simulator_->Spend(*this, simulator_->costs().*cost, part);
}

// The rest is declared in worker.h: a worker as policies and programs see it.

int Worker::workers() const { return static_cast<const Scheduler*>(this)->shared().workers(); }

std::int64_t Worker::queued() const {
  return std::max<std::int64_t>(0, const_cast<Scheduler&>(static_cast<const Scheduler&>(*this))
                                       .ready()
                                       .queue()
                                       .SizeSeenByThief());
}

const Counters& Worker::counters() const {
  return static_cast<const Scheduler*>(this)->activity().counters;
}

void Worker::Push(ReadyThread thread) {
  CheckContract(Current() == this,
                "Worker::Push is called on that worker: other workers call Victim::Put");
  Descriptor* const pushed = ReadyThreads::Unwrap(std::move(thread));
  Scheduler& self = static_cast<Scheduler&>(*this);
  self.ready().CheckGiven(pushed, "Worker::Push");
  self.ready().PushOrPut(*pushed);
  self.ready().NotifyOthers();
}

ReadyThread Worker::Pop() {
  CheckContract(Current() == this,
                "Worker::Pop is called on that worker: other workers call Victim::Take");
  Descriptor* const popped = static_cast<Scheduler&>(*this).ready().PopHead();
  return popped == nullptr ? ReadyThread() : ReadyThreads::Wrap(*popped);
}

}  // namespace lwt
