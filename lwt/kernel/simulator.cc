#include "lwt/kernel/simulator.h"

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "lwt/contract.h"
#include "lwt/kernel/owner.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/wait/blocked_threads.h"

namespace lwt {

Simulator::Simulator(PoolShared& pool, const SimulationOptions& options, int workers,
                     std::uint64_t seed)
    : pool_(pool), memory_(options, workers), random_(seed * 0x9E3779B97F4A7C15u | 1) {
  for (int i = 0; i < workers; ++i) virtual_.push_back(std::make_unique<Virtual>());
}

Simulator::~Simulator() = default;

double Simulator::Draw(double nanoseconds) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const double unit = static_cast<double>(random_ >> 11) * 0x1p-53;
  return nanoseconds * (1 + memory_.costs().jitter * (2 * unit - 1));
}

double Simulator::Now() const {
  double now = 0;
  for (const auto& one : virtual_) now = std::max(now, one->clock);
  return now;
}

int Simulator::Next() const {
  int next = -1;
  for (int i = 0; i < static_cast<int>(virtual_.size()); ++i) {
    const Virtual& one = *virtual_[static_cast<std::size_t>(i)];
    if (one.ended) continue;
    if (next < 0 || one.clock < virtual_[static_cast<std::size_t>(next)]->clock) next = i;
  }
  return next;
}

void Simulator::Spend(Scheduler& worker, double nanoseconds, double SimulatedTime::*part) {
  if (nanoseconds <= 0) return;
  Virtual& mine = *virtual_[static_cast<std::size_t>(worker.index())];
  // A thief has the thread that it took, and no worker finds it in a queue meanwhile.
  mine.has_thread = worker.current() != nullptr || part == &SimulatedTime::stealing_ns;
  // A worker that searches in vain meanwhile may yet find what this thread brings.
  if (mine.has_thread) fruitless_ = 0;
  // The queue of a worker that spawns or switches may be locked.
  const double waits =
      part == &SimulatedTime::threads_ns ? std::max(0.0, mine.locked_until - mine.clock) : 0;
  const double drawn = Draw(nanoseconds) + waits;
  mine.clock += drawn;
  time_.*part += drawn;
  if (Next() != worker.index() || MustLookUp()) LeaveTo(worker);
  // Searches meanwhile do not count as fruitless either, should the thread end now.
  if (std::exchange(mine.has_thread, false)) fruitless_ = 0;
}

void Simulator::Touch(Scheduler& worker, const void* data, std::size_t bytes, Access access) {
  Spend(worker, memory_.Use(worker.index(), Clock(worker.index()), data, bytes, access, time_),
        &SimulatedTime::fetching_ns);
}

void Simulator::OnSteal(Scheduler& thief, int victim) {
  const double farther = memory_.Farther(thief.index(), victim);
  double& locked_until = virtual_[static_cast<std::size_t>(victim)]->locked_until;
  const double now = Clock(thief.index());
  const double waits = std::max(0.0, locked_until - now);
  locked_until = now + waits + costs().lock_ns * farther;
  Spend(thief, waits + costs().steal_ns * farther, &SimulatedTime::stealing_ns);
}

void Simulator::OnPeek(Scheduler& thief, int victim) {
  Spend(thief, costs().peek_ns * memory_.Farther(thief.index(), victim),
        &SimulatedTime::looking_ns);
}

void Simulator::FoundNothing(Scheduler& worker) {
  ++fruitless_;
  // Once each worker has had its tries: a policy may judge for itself what work there is.
  constexpr std::int64_t kTriesEach = 16;
  if (fruitless_ % (kTriesEach * pool_.workers()) != 0) return;
  const std::int64_t deadline_ns = pool_.timers.earliest();
  // A thread that sleeps for ever is deadlocked.
  if (deadline_ns >= kLatest || CanAnyRun(worker)) return;
  const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(deadline_ns)};
  const auto left = deadline - worker.Now();
  SkipTo(Clock(worker.index()) + std::chrono::duration<double, std::nano>(left).count());
  fruitless_ = 0;
}

bool Simulator::DoesAnyRun() const {
  return std::any_of(virtual_.begin(), virtual_.end(),
                     [](const auto& one) { return one->has_thread; });
}

bool Simulator::CanAnyRun(Scheduler& searcher) const {
  return DoesAnyRun() || searcher.thief().IsThereWork();
}

void Simulator::SkipTo(double nanoseconds) {
  for (const auto& one : virtual_) {
    const double before = std::exchange(one->clock, std::max(one->clock, nanoseconds));
    time_.skipped_ns += one->clock - before;
  }
}

// The worker that runs makes way; returns when its turn has come.
void Simulator::LeaveTo(Scheduler& worker) {
  Virtual& mine = *virtual_[static_cast<std::size_t>(worker.index())];
  SanitizerFlow& flow = worker.switcher().running_flow();
  mine.exceptions = worker.switcher().exceptions();
  mine.os_errno = worker.switcher().os_errno();
  flow.Leave(main_flow_);
  SwitchTo(mine.flow, main_, nullptr);
  flow.Arrive(&main_flow_);
  worker.switcher().exceptions() = mine.exceptions;
  worker.switcher().os_errno() = mine.os_errno;
}

void Simulator::WorkerMain(void* /*value*/, void* argument) {
  Scheduler& worker = *static_cast<Scheduler*>(argument);
  Simulator& self = *worker.simulator();
  worker.switcher().running_flow().Arrive(&self.main_flow_);
  worker.switcher().Loop();
  Virtual& mine = *self.virtual_[static_cast<std::size_t>(worker.index())];
  mine.ended = true;
  worker.switcher().running_flow().LeaveForEver(self.main_flow_);
  SwitchTo(mine.flow, self.main_, nullptr);
  __builtin_unreachable();
}

void Simulator::Resume(int index) {
  Scheduler& worker = pool_.scheduler(index);
  Virtual& next = *virtual_[static_cast<std::size_t>(index)];
  if (next.flow == nullptr) {
    next.flow = PrepareFlow(worker.switcher().LoopStack()->top(), &WorkerMain, &worker);
  }
  Scheduler* const outside = Scheduler::BecomeCurrent(&worker);
  auto* const globals = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  const ExceptionGlobals exceptions = std::exchange(*globals, ExceptionGlobals());
  worker.switcher().BecomeOsThreads();  // Perhaps another OS thread's than before.
  main_flow_.Leave(worker.switcher().running_flow());
  SwitchTo(main_, next.flow, nullptr);
  main_flow_.Arrive(nullptr);
  *globals = exceptions;
  Scheduler::BecomeCurrent(outside);
}

// Is it time for RunUntil to see how things are?
bool Simulator::MustLookUp() const { return (done_ != nullptr && *done_) || IsDeadlocked(); }

bool Simulator::IsDeadlocked() const {
  if (!cycle_.empty()) return true;
  // So many searches in vain in a row that each worker has looked at each victim,
  // and not because all wait for one that computes.
  return fruitless_ > static_cast<std::int64_t>(virtual_.size() * virtual_.size() * 64 + 10'000) &&
         !DoesAnyRun();
}

void Simulator::RunUntil(const bool& done) {
  CheckContract(!is_running_.exchange(true),
                "a simulated pool runs for one caller at a time: this pool runs for another OS "
                "thread, or for a call of Run in which this call was made");
  struct End {
    std::atomic<bool>& is_running;
    ~End() { is_running = false; }
  } const end{is_running_};
  if (is_dead_) throw Deadlock(BlockedThreads(pool_.descriptors));
  main_flow_.CreateForOsThread();
  outer_ = Scheduler::Current();
  done_ = &done;
  fruitless_ = 0;
  while (!done && !IsDeadlocked()) Resume(Next());
  done_ = nullptr;
  if (done) return;
  is_dead_ = true;
  throw Deadlock((cycle_.empty() ? "" : "threads wait for each other in a cycle.\n" + cycle_) +
                 BlockedThreads(pool_.descriptors) + EndedHolders(pool_.descriptors));
}

void Simulator::EndWorkers() {
  main_flow_.CreateForOsThread();
  for (int next = Next(); next >= 0; next = Next()) {
    Virtual& one = *virtual_[static_cast<std::size_t>(next)];
    if (one.flow == nullptr || is_dead_) {
      // It never ran; or threads that wait on it have variables that are gone.
      one.ended = true;
    } else {
      Resume(next);
    }
  }
}

// Declared in simulation.h.

void Compute(double nanoseconds) {
  Scheduler& worker = Scheduler::Here();
  // Not-a-number fails both comparisons.
  CheckContract(nanoseconds >= 0 && nanoseconds <= std::numeric_limits<double>::max(),
                "Compute takes a finite number of nanoseconds, 0 or more");
  if (worker.simulator() != nullptr) {
    worker.simulator()->Spend(worker, nanoseconds, &SimulatedTime::computing_ns);
  }
}

void Touch(const void* data, std::size_t bytes, Access access) {
  Scheduler& worker = Scheduler::Here();
  CheckContract(
      reinterpret_cast<std::uintptr_t>(data) + bytes >= reinterpret_cast<std::uintptr_t>(data),
      "the memory given to Touch ends inside the address space");
  if (worker.simulator() != nullptr) worker.simulator()->Touch(worker, data, bytes, access);
}

}  // namespace lwt
