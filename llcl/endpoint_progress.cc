// How an endpoint goes on: waiting, the loss of ranks, the end.
#include <sched.h>

#include <algorithm>

#include "llcl/collective/collectives.h"
#include "llcl/conduit.h"
#include "llcl/endpoint.h"

namespace llcl {

// A thread that waits, and so makes progress on all devices.
class Endpoint::Waiting {
 public:
  explicit Waiting(Endpoint& endpoint) : endpoint_(endpoint) {
    for (const auto& executor : endpoint_.executors_) executor->StartWaiting();
  }
  ~Waiting() {
    for (const auto& executor : endpoint_.executors_) executor->EndWaiting();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Endpoint& endpoint_;
};

bool Endpoint::IsDown(Rank rank) const {
  // Each request comes here: std::any_of is twice as long.
  for (const Device* const device : devices_) {
    if (device->IsDown(rank)) return true;
  }
  return false;
}

bool Endpoint::TryAdvance() {
  bool did = false;
  for (const auto& executor : executors_) did = executor->TryAdvance() || did;
  return did;
}

std::uint64_t Endpoint::in_flight() const {
  std::uint64_t all = 0;
  for (const auto& executor : executors_) all += executor->in_flight();
  return all;
}

ExecutorCounts Endpoint::counts() const {
  ExecutorCounts all;
  for (const auto& executor : executors_) {
    const ExecutorCounts one = executor->counts();
    all.posted_by_callers += one.posted_by_callers;
    all.posted_from_ring += one.posted_from_ring;
    all.batches += one.batches;
    all.sleeps += one.sleeps;
    all.wakings += one.wakings;
    all.rounds += one.rounds;
  }
  return all;
}

bool Endpoint::OnAdvance() {
  if (losses() != losses_seen_.load(std::memory_order_relaxed)) TellLosses();
  // Not one atomic addition: how often exactly does not matter.
  const unsigned steps = steps_.load(std::memory_order_relaxed) + 1;
  steps_.store(steps, std::memory_order_relaxed);
  if (steps % kStepsPerLook == 0) collectives_->GiveUp();
  return !retries_.empty() && retries_.Run();
}

int Endpoint::losses() const {
  int all = 0;
  for (const Device* const device : devices_) all += device->losses();
  return all;
}

void Endpoint::TellLosses() {
  losses_seen_.store(losses(), std::memory_order_relaxed);
  for (int rank = 0; rank < size(); ++rank) {
    if (!IsDown(Rank{rank}) || loss_told_[static_cast<std::size_t>(rank)].exchange(true)) continue;
    if (options_.on_loss) options_.on_loss(Rank{rank});
  }
  collectives_->GiveUp();
}

bool Endpoint::IsPending() const { return !retries_.empty() || !collectives_->empty(); }

std::uint64_t Endpoint::overdue() const {
  std::uint64_t all = 0;
  for (const auto& executor : executors_) all += executor->overdue();
  return all;
}

void Endpoint::LetOthersGoOn() {
  if (!TryAdvance()) sched_yield();
}

void Endpoint::Abort() {
  aborted_.store(true, std::memory_order_relaxed);
  collectives_->Abort();
  for (const auto& executor : executors_) executor->Abort();
}

void Endpoint::Drain() {
  const Waiting waiting(*this);
  while (in_flight() > 0 || IsPending()) {
    if (!TryAdvance()) sched_yield();
  }
}

template <typename Done, typename Sleep>
void Endpoint::WaitUntil(Done done, Sleep sleep) {
  if (done()) return;
  const IdlePolicy& idle_policy = options_.executor.idle;
  const bool has_thread = options_.executor.has_thread;
  {
    const Waiting waiting(*this);
    for (int idle = 0; !done();) {
      if (TryAdvance()) {
        idle = 0;
      } else if (++idle < idle_policy.spins) {
        topo::Pause();
      } else if (idle < idle_policy.spins + idle_policy.yields_of_waits || !has_thread) {
        sched_yield();
      } else {
        break;
      }
    }
  }
  sleep();
}

Outcome Endpoint::Wait(const Flag& flag) {
  WaitUntil([&] { return flag.done(); }, [&] { flag.SleepUntilDone(); });
  return flag.outcome();
}

void Endpoint::Wait(const Counter& counter, std::uint64_t expected) {
  WaitUntil([&] { return counter.done(expected); }, [&] { counter.SleepUntilDone(expected); });
}

}  // namespace llcl
