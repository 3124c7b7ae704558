#include "lwt/pool.h"

#include <bit>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/kernel/overflow_watch.h"
#include "lwt/kernel/owner.h"
#include "lwt/kernel/simulator.h"
#include "lwt/reactor/proactor.h"
#include "lwt/wait/blocked_threads.h"

namespace lwt {
namespace {

// The i-th number of Steele, Lea and Flood's SplitMix64: neighbours in i or in the
// seed have nothing in common.
std::uint64_t SplitMix(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

}  // namespace

Pool::Pool(const PoolOptions& options)
    : shared_(options.stack_bytes == 0 ? kDefaultStackBytes : options.stack_bytes),
      deadlocks_(options),
      worker_watch_(options) {
  shared_.has_guests = options.has_guests;
  shared_.deadlocks = &deadlocks_;
}

// Not inlined: gcc takes the destroying operator delete for a mismatch of this operator new.
[[gnu::noinline]] std::unique_ptr<Pool> Pool::Allocate(const PoolOptions& options) {
  return std::unique_ptr<Pool>(new Pool(options));
}

absl::StatusOr<std::unique_ptr<Pool>> Pool::Create(const PoolOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  std::optional<topo::Topology> topology;
  std::optional<topo::Mapping> mapping;
  int workers = options.workers;
  if (workers == 0 || options.placement != topo::Policy::kNone) {
    absl::StatusOr<topo::Topology> found = topo::ThisMachine();
    if (!found.ok()) return found.status();
    topology = *std::move(found);
    if (workers == 0) workers = topology->default_threads();
    absl::StatusOr<topo::Mapping> planned = topo::Plan(*topology, options.placement, workers);
    if (!planned.ok()) return planned.status();
    mapping = *std::move(planned);
  }

  WatchThisThreadForExit();
  Fence::Decide();
  std::unique_ptr<Pool> pool = Allocate(options);
  if (options.simulation) {
    pool->simulator_ =
        std::make_unique<Simulator>(pool->shared_, *options.simulation, workers, options.seed);
    pool->shared_.simulator = pool->simulator_.get();
    pool->shared_.idle.AlwaysNotice();
  }
  for (int i = 0; i < workers; ++i) {
    const std::uint64_t seed = SplitMix(options.seed, static_cast<std::uint64_t>(i)) | 1;
    try {
      pool->schedulers_.push_back(
          std::make_unique<Scheduler>(*pool, pool->shared_, i, seed, options));
      pool->shared_.schedulers.push_back(pool->schedulers_.back().get());
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "no memory for trace_events = ", options.trace_events, " events of worker ", i));
    }
  }
  if (options.simulation) return pool;
  if (absl::Status started = pool->StartProactor(options.io_backend); !started.ok()) {
    return started;
  }
  // Before the workers: the memory allocator of a new thread may hold all that the limit of
  // addresses (ulimit -v) allows, if only for a moment.
  if (!pool->MakeFirstThreads()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no memory for stacks of ", pool->stack_bytes(), " bytes (ulimit -v may be the reason)"));
  }
  if (options.has_guests) return pool;
  if (absl::Status started = pool->StartWorkers(topology, mapping); !started.ok()) return started;
  return pool;
}

bool Pool::MakeFirstThreads() {
  Stack* stack = nullptr;
  const std::vector<Descriptor*> descriptors = shared_.descriptors.Take(1);
  if (!descriptors.empty()) shared_.TakeBack(*descriptors[0]);
  if (shared_.stacks.Take({&stack, 1}) == 0) return false;
  shared_.TakeBack(*stack);
  return !descriptors.empty();
}

absl::Status Pool::StartProactor(IoBackend backend) {
  if (backend == IoBackend::kEpoll) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<Proactor>> made = Proactor::Create();
  if (!made.ok()) {
    return backend == IoBackend::kAutomatic ? absl::OkStatus() : made.status();
  }
  proactor_ = *std::move(made);
  shared_.reap_io = [proactor = proactor_.get()] { proactor->Reap(); };
  return proactor_->StartWatcher();
}

absl::Status Pool::StartWorkers(const std::optional<topo::Topology>& topology,
                                const std::optional<topo::Mapping>& mapping) {
  struct Start {
    topo::Mutex mutex;
    topo::ConditionVariable changed;
    absl::Status pinned ABSL_GUARDED_BY(mutex);
    int started ABSL_GUARDED_BY(mutex) = 0;
  } start;
  const auto run = [&](int worker) {
    std::optional<topo::ScopedAffinity> affinity;
    absl::Status status;
    if (mapping && mapping->policy() != topo::Policy::kNone) {
      auto pin = topo::ScopedAffinity::Pin(*topology, (*mapping)[worker]);
      status = pin.status();
      if (pin.ok()) affinity.emplace(*std::move(pin));
    }
    {
      const topo::Lock lock(start.mutex);
      start.pinned.Update(status);
      ++start.started;
      start.changed.NotifyOne();
    }
    WatchThisThreadForExit();
    worker_watch_.Enter(worker, workers());
    const OverflowWatch overflow_watch;
    shared_.scheduler(worker).switcher().Loop();
  };
  absl::Status status;
  int running = 0;
  try {
    for (; running < workers(); ++running) {
      os_threads_.emplace_back([run, running] { run(running); });
    }
  } catch (const std::system_error& error) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("cannot start worker ", running, " of ", workers(), ": ", error.what(),
                     " (ulimit -u, ulimit -v or a container's pids.max may be the reason)"));
  }
  // The workers use `start`.
  const topo::Lock lock(start.mutex);
  while (start.started < running) start.changed.Wait(start.mutex);
  status.Update(start.pinned);
  return status;
}

// The calling thread, if it is a lightweight one, is of another pool: its wait there is no
// deadlock of that pool. Virtual time does not pass meanwhile.
void Pool::WaitOutside(Waiter& waiter, const char* why) {
  const Scheduler* const caller = Scheduler::Current();
  if (caller == nullptr || caller->simulator() != nullptr || caller->current() == nullptr) {
    while (!waiter.IsWokenAfter(worker_watch_.period_ns())) worker_watch_.Look(shared_);
  } else {
    waiter.Wait(why, WokenBy::kSystem);
  }
}

// Once no worker runs: threads that are still suspended were forgotten.
void Pool::CheckAllEnded() {
  const std::string report = BlockedThreads();
  if (report.empty()) return;
  DieOfBrokenContract(absl::StrCat("a pool is destroyed after each of its threads was joined or "
                                   "detached, and these threads still wait:\n",
                                   report, BlockedStacks(shared_.descriptors)),
                      __FILE__, __LINE__);
}

void Pool::operator delete(Pool* pool, std::destroying_delete_t) {
  if (pool->IsLeftAtExit()) return;
  pool->~Pool();
  ::operator delete (pool, std::align_val_t{alignof(Pool)});
}

Pool::~Pool() {
  const Scheduler* const caller = Scheduler::Current();
  CheckContract(caller == nullptr || &caller->pool() != this,
                "a pool is destroyed from outside of it, not by one of its own threads");
  // Calls of Run in a parent go on there.
  if (const int callers = shared_.outside.callers(); callers != 0 && !is_of_parent_process()) {
    DieOfBrokenContract(
        absl::StrCat("a pool is destroyed while ", callers, " of its calls of Run go",
                     callers == 1 ? "es" : "", " on: destroy it after they have returned"),
        __FILE__, __LINE__);
  }
  if (is_of_parent_process()) {
    // Threads that are detached or forgotten are the parent's.
  } else if (simulator_ == nullptr) {
    const auto awaits = shared_.outside.Awaits();
    Waiter self;
    if (shared_.detached.WaitBy(self))
      WaitOutside(self, "the detached threads of a pool that it destroys");
  } else {
    try {
      simulator_->RunUntil(shared_.detached.is_none_left());
    } catch (const Deadlock&) {  // Of detached threads, or thrown before.
    }
  }
  shared_.stopping.store(true, std::memory_order_release);
  shared_.idle.WakeAll();
  for (JoinedThread& thread : os_threads_) {
    if (thread.is_here()) thread.Join();
  }
  if (simulator_ != nullptr) {
    simulator_->EndWorkers();
  } else if (!is_of_parent_process()) {
    CheckAllEnded();
  }
  // Another thread of the parent may be a waker, or hold the stacks' mutex, for ever in the child.
  if (simulator_ == nullptr && is_of_parent_process()) return;
  shared_.outside.WaitForWakers();
  for (auto& scheduler : schedulers_) scheduler->switcher().GiveBackStacks();
}

// A call of Run of a real pool must not wait for a worker that waits for the call, as a worker
// whose OS thread drives the simulated workers that the call comes from.
void Pool::CheckNotCalledBack() const {
  const Scheduler* outer = Scheduler::Current();
  while (outer != nullptr && outer->simulator() != nullptr) {
    outer = outer->simulator()->outer();
    CheckContract(outer == nullptr || &outer->pool() != this,
                  "Pool::Run was called from a simulated pool that a thread of the called pool "
                  "drives: the call waits for a worker that waits for the call");
  }
}

void Pool::RunCall(Call& call, Counted counted) {
  CheckContract(
      simulator_ != nullptr || !is_of_parent_process(),
      "Pool::Run, or a call of a runtime, was made in a child of fork(2), of a pool that its "
      "parent made: the pool's workers are not in the child, which makes its own pool");
  if (simulator_ == nullptr) CheckNotCalledBack();
  WatchThisThreadForExit();
  const unsigned earlier_calls = next_worker_.fetch_add(1);
  // A static pool may have had calls before its construction was over: one watch is later than
  // that.
  if (std::has_single_bit(earlier_calls + 1)) WatchForExit();
  Scheduler& scheduler = *schedulers_[earlier_calls % schedulers_.size()];
  Stack* stack = nullptr;
  const std::vector<Descriptor*> descriptors = shared_.descriptors.Take(1);
  if (descriptors.empty() || shared_.stacks.Take({&stack, 1}) == 0) {
    if (!descriptors.empty()) shared_.TakeBack(*descriptors[0]);
    throw std::bad_alloc();
  }
  Descriptor& thread = *descriptors[0];
  std::optional<OutsideThreads::Counted> called;
  if (counted == Counted::kYes) called.emplace(shared_.outside.Calls());
  thread.stack = stack;
  stack->thread = &thread;
  thread.completion.ResetDetached();
  thread.name = "Pool::Run";
  thread.depth = 0;
  const Scheduler* const caller = Scheduler::Current();
  const bool is_called_by_thread = caller != nullptr && caller->current() != nullptr;
  thread.inherited = is_called_by_thread ? caller->current()->inherited : 0;
  thread.is_new_call = true;
  thread.last = &scheduler;
  thread.exceptions = {};
  thread.ClearHint();
  thread.body = &call;
  thread.drop = nullptr;
  thread.sp = PrepareFlow(stack->top(), &CallMain, &thread);
  ReadyThreads::MakeReady(thread);
  if (simulator_ != nullptr) {
    simulator_->RunUntil(call.done);
  } else {
    // After MakeReady: a call counts once its thread can be found.
    const auto awaits = shared_.outside.Awaits();
    WaitOutside(call.caller, "Pool::Run of another pool");
  }
  if (call.error != nullptr) std::rethrow_exception(call.error);
}

void Pool::CallMain(void* handoff, void* argument) {
  Descriptor& thread = *static_cast<Descriptor*>(argument);
  thread.is_new_call = false;
  Switcher::Resumed(thread, static_cast<Handoff*>(handoff));
  Call& call = *static_cast<Call*>(thread.body);
  try {
    call.run(call);
  } catch (...) {
    call.error = std::current_exception();
  }
  call.done = true;
  call.caller.Wake();  // The call may be gone right after.
  Switcher::End(thread);
}

std::vector<TraceEvent> Pool::TraceEvents() const {
  std::vector<TraceEvent> events;
  for (const auto& scheduler : schedulers_) {
    const std::span<const TraceEvent> of_worker = scheduler->activity().trace.events();
    events.insert(events.end(), of_worker.begin(), of_worker.end());
  }
  return events;
}

std::int64_t Pool::lost_trace_events() const {
  std::int64_t lost = 0;
  for (const auto& scheduler : schedulers_) lost += scheduler->activity().trace.lost();
  return lost;
}

double Pool::Nanoseconds(int worker) const { return shared_.scheduler(worker).Nanoseconds(); }

Deadline Pool::Now(int worker) const { return shared_.scheduler(worker).Now(); }

double Pool::simulated_ns() const { return simulator_ == nullptr ? 0 : simulator_->Now(); }

SimulatedTime Pool::simulated_time() const {
  return simulator_ == nullptr ? SimulatedTime() : simulator_->time();
}

void Pool::SetPolicy(const AnyPolicy& policy) {
  CheckContract(static_cast<bool>(policy), "a pool needs a policy");
  // First all copies: should one throw, the pool's policy is what it was.
  std::vector<std::unique_ptr<AnyPolicy>> copies;
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    copies.push_back(std::make_unique<AnyPolicy>(policy));
  }
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    schedulers_[i]->thief().SetPolicy(std::move(copies[i]));
  }
}

std::string Pool::BlockedThreads() const { return lwt::BlockedThreads(shared_.descriptors); }

}  // namespace lwt
