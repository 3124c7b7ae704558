#include "lwt/kernel/thief.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/kernel/deadlock_watch.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/kernel/simulator.h"

namespace lwt {
namespace {

// Between two looks of a worker without work. Its sleeps are bounded, in case that no thread
// thought of waking it.
constexpr int kPausesATry = 8;
constexpr std::int64_t kShortestSleepNanoseconds = 2'000'000;
constexpr std::int64_t kLongestSleepNanoseconds = 64'000'000;
// How often it looks again at work that its policy does not take.
constexpr int kMostRefusals = 4;
// Of StealBackOff.
constexpr std::int64_t kWorthwhileNanoseconds = 20'000;
constexpr std::int64_t kLeastWaitNanoseconds = 2'000;
constexpr std::int64_t kMostWaitNanoseconds = 128'000;

std::int64_t NowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void PauseBetweenTries() {
  for (int pause = 0; pause < kPausesATry; ++pause) Pause();
}

}  // namespace

std::int64_t StealBackOff::WaitBeforeSteal(std::int64_t now_ns) {
  if (stolen_at_ns_ != 0) {
    const bool was_worthwhile = now_ns - stolen_at_ns_ > kWorthwhileNanoseconds;
    wait_ns_ = was_worthwhile
                   ? wait_ns_ / 2
                   : std::clamp(wait_ns_ * 2, kLeastWaitNanoseconds, kMostWaitNanoseconds);
    stolen_at_ns_ = 0;
  }
  return wait_ns_;
}

// No caller can catch what a policy throws.
ReadyThread Thief::StealByPolicy() {
  try {
    ReadyThread stolen = policy_.Steal(scheduler_);
    if (!stolen) return stolen;
    Descriptor* const thread = ReadyThreads::Unwrap(std::move(stolen));
    scheduler_.ready().CheckGiven(thread, "a worker, by its policy,");
    return ReadyThreads::Wrap(*thread);
  } catch (...) {
    DieOfException(std::current_exception(),
                   absl::StrCat("the policy of worker ", scheduler_.index()),
                   "A stealing policy must not throw: no caller can catch it.");
  }
}

bool Thief::HasPolicyWork() {
  try {
    return policy_.HasWork(scheduler_);
  } catch (...) {
    DieOfException(std::current_exception(),
                   absl::StrCat("HasWork of the policy of worker ", scheduler_.index()),
                   "A stealing policy must not throw: no caller can catch it.");
  }
}

bool Thief::IsToReturn() const {
  return scheduler_.shared().is_stopping() || scheduler_.ready().is_unparked();
}

bool Thief::IsThereWork() {
  if (HasPolicyWork()) return true;
  const PoolShared& pool = scheduler_.shared();
  for (int i = 0; i < pool.workers(); ++i) {
    if (pool.scheduler(i).ready().queue().SizeSeenByThief() > 0) return true;
  }
  return false;
}

// Counts whether there is work that the policy does not take. A policy may have its reasons, for
// ever, and a worker must not burn its processor for them. The worker that has it in its queue is
// woken: the notice of a Put may have gone to this one.
void Thief::CountRefusal() {
  if (!IsThereWork()) {
    refusals_ = 0;
    return;
  }
  ++refusals_;
  const PoolShared& pool = scheduler_.shared();
  for (int i = 0; i < pool.workers(); ++i) {
    Scheduler& owner = pool.scheduler(i);
    if (owner.thief().is_asleep() && owner.ready().queue().SizeSeenByThief() > 0) {
      scheduler_.shared().idle.WakeAll();
      break;
    }
  }
}

// Returns a thread that comes to the own queue while the thief waits before its first steal.
Descriptor* Thief::BackOff() {
  const std::int64_t now = NowNanoseconds();
  const std::int64_t until = now + back_off_.WaitBeforeSteal(now);
  Descriptor* mine = nullptr;
  while (mine == nullptr && NowNanoseconds() < until && !IsToReturn()) {
    PauseBetweenTries();
    mine = scheduler_.ready().Next();
  }
  return mine;
}

// Looks in the own queue, then by the policy.
Descriptor* Thief::LookOnce() {
  if (AnyPolicy* next = next_policy_.exchange(nullptr, std::memory_order_acq_rel)) {
    policy_ = std::move(*next);
    delete next;
  }
  Simulator* const simulator = scheduler_.simulator();
  if (simulator != nullptr) scheduler_.ready().FireDueTimers();
  if (const std::function<void()>& reap_io = scheduler_.shared().reap_io) reap_io();
  Descriptor* found = scheduler_.ready().Next();
  if (found == nullptr) {
    found = ReadyThreads::Unwrap(StealByPolicy());
    if (found != nullptr && simulator == nullptr) back_off_.OnSteal(NowNanoseconds());
  }
  if (simulator != nullptr && found != nullptr) {
    simulator->Found();
  } else if (simulator != nullptr) {
    simulator->FoundNothing(scheduler_);
    scheduler_.Spend(&CostModel::look_ns, &SimulatedTime::looking_ns);
  }
  return found;
}

Descriptor* Thief::Finish(Descriptor* found) {
  refusals_ = 0;
  scheduler_.activity().counters.finds.Add();
  if (scheduler_.simulator() == nullptr) scheduler_.shared().idle.EndSearch();
  scheduler_.Trace(TraceEvent::Kind::kBusy);
  return found;
}

Descriptor* Thief::Search() {
  scheduler_.shared().CheckHasWorkers();
  const bool is_simulated = scheduler_.simulator() != nullptr;
  if (!is_simulated) scheduler_.shared().idle.StartSearch();
  scheduler_.Trace(TraceEvent::Kind::kIdle);
  if (!is_simulated) {
    if (Descriptor* const mine = BackOff()) return Finish(mine);
  }
  std::int64_t sleep = kShortestSleepNanoseconds;
  while (true) {
    for (int i = 0; i < looks_; ++i) {
      Descriptor* const found = IsToReturn() ? nullptr : LookOnce();
      if (found != nullptr || IsToReturn()) return Finish(found);
      if (!is_simulated) PauseBetweenTries();
    }
    if (is_simulated) continue;
    CountRefusal();
    scheduler_.activity().counters.parks.Add();
    scheduler_.Trace(TraceEvent::Kind::kPark);
    is_asleep_.store(true, std::memory_order_relaxed);
    SleepUntilWorkOrTimer(sleep);
    is_asleep_.store(false, std::memory_order_relaxed);
    scheduler_.shared().deadlocks->AwaitReport();
    scheduler_.Trace(TraceEvent::Kind::kIdle);
    sleep = std::min(sleep * 2, kLongestSleepNanoseconds);
  }
}

void Thief::SleepUntilWorkOrTimer(std::int64_t longest_ns) {
  PoolShared& pool = scheduler_.shared();
  pool.timers.Sleep(
      [&] {
        const bool has_own = scheduler_.ready().queue().SizeSeenByThief() > 0 || HasPolicyWork();
        const bool is_refused = refusals_ >= kMostRefusals;
        if (has_own || (!is_refused && IsThereWork()) || IsToReturn()) return true;
        pool.deadlocks->Check(pool, *this);
        return false;
      },
      &NowNanoseconds, longest_ns);
  scheduler_.ready().FireDueTimers();
}

}  // namespace lwt
