#include "lwt/pool.h"

#include <condition_variable>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "lwt/check_options.h"
#include "lwt/contract.h"
#include "lwt/fatal.h"

namespace lwt {
namespace {

constexpr int kBlock = 64;  // descriptors made at once

// The i-th number of Steele, Lea and Flood's SplitMix64: neighbours in i or in the
// seed have nothing in common.
std::uint64_t SplitMix(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

}  // namespace

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

  Fence::Decide();
  std::unique_ptr<Pool> pool(new Pool(options));
  for (int i = 0; i < workers; ++i) {
    const std::uint64_t seed = SplitMix(options.seed, static_cast<std::uint64_t>(i)) | 1;
    pool->workers_.push_back(std::make_unique<Worker>(*pool, i, seed));
    pool->workers_.back()->policy_ = options.policy;
    try {
      pool->workers_.back()->trace_.reserve(options.trace_events);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "no memory for trace_events = ", options.trace_events, " events of worker ", i));
    }
  }
  if (options.simulation) {
    pool->simulator_ =
        std::make_unique<Simulator>(*pool, *options.simulation, workers, options.seed);
    pool->idle_.AlwaysNotice();
    for (auto& worker : pool->workers_) worker->simulator_ = pool->simulator_.get();
    return pool;
  }
  std::mutex mutex;
  absl::Status pinned;
  int started = 0;
  std::condition_variable all_started;
  for (int i = 0; i < workers; ++i) {
    try {
      pool->os_threads_.emplace_back(
          [&, i, worker = pool->workers_[static_cast<std::size_t>(i)].get()] {
            std::optional<topo::ScopedAffinity> affinity;
            {
              absl::Status status;
              if (mapping && mapping->policy() != topo::Policy::kNone) {
                auto pin = topo::ScopedAffinity::Pin(*topology, (*mapping)[i]);
                status = pin.status();
                if (pin.ok()) affinity.emplace(*std::move(pin));
              }
              const std::lock_guard lock(mutex);
              pinned.Update(status);
              ++started;
              all_started.notify_one();
            }
            worker->Loop();
          });
    } catch (const std::system_error& error) {
      const int running = i;
      {
        std::unique_lock lock(mutex);
        all_started.wait(lock, [&] { return started == running; });
      }
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot start worker ", i, " of ", workers, ": ", error.what()));
    }
  }
  std::unique_lock lock(mutex);
  all_started.wait(lock, [&] { return started == workers; });
  if (!pinned.ok()) return pinned;
  return pool;
}

void Pool::CountDetached(int change) {
  const std::lock_guard lock(detached_mutex_);
  detached_ += change;
  is_none_detached_ = detached_ == 0;
  // It goes on once nobody holds the lock: it waits for this pool's workers first.
  if (is_none_detached_ && destroyer_ != nullptr) std::exchange(destroyer_, nullptr)->Wake();
}

// Where the calling thread, if it is one, is of another pool: there nobody may take
// its waiting for a deadlock. Virtual time does not pass meanwhile.
void Pool::WaitOutside(Waiter& waiter, const char* why) {
  constexpr std::int64_t kLongestSleepNanoseconds = 1'000'000'000;
  const Worker* const caller = Worker::Current();
  if (caller == nullptr || caller->simulator() != nullptr || caller->current() == nullptr) {
    while (!waiter.IsWokenAfter(kLongestSleepNanoseconds)) {
    }
  } else {
    waiter.Wait(why, WokenBy::kSystem);
  }
}

// Once no worker runs: who is still suspended was forgotten.
void Pool::CheckAllEnded() {
  const std::string report = BlockedThreads();
  if (report.empty()) return;
  DieOfBrokenContract(
      absl::StrCat("a pool is destroyed when each of its threads has been joined or detached, and "
                   "these still wait:\n",
                   report),
      __FILE__, __LINE__);
}

Pool::~Pool() {
  const Worker* const caller = Worker::Current();
  CheckContract(caller == nullptr || &caller->pool() != this,
                "a pool is destroyed from outside of it, not by one of its own threads");
  if (const int callers = callers_.load(); callers != 0) {
    DieOfBrokenContract(
        absl::StrCat("a pool is destroyed while ", callers, " of its calls of Run go",
                     callers == 1 ? "es" : "", " on: it is, once they have returned"),
        __FILE__, __LINE__);
  }
  if (simulator_ == nullptr) {
    calls_.fetch_add(1);  // Somebody waits for the threads, as in Run.
    Waiter self;
    bool waits = false;
    {
      const std::lock_guard lock(detached_mutex_);
      waits = detached_ != 0;
      if (waits) destroyer_ = &self;
    }
    if (waits) WaitOutside(self, "the detached threads of a pool that it destroys");
  } else {
    try {
      simulator_->RunUntil(is_none_detached_);
    } catch (const Deadlock&) {  // Of detached threads, or told before.
    }
  }
  stopping_.store(true, std::memory_order_release);
  idle_.WakeAll();
  for (std::thread& thread : os_threads_) thread.join();
  if (simulator_ != nullptr) {
    simulator_->EndWorkers();
  } else {
    CheckAllEnded();
  }
  // Who made a thread ready from outside may have seen it run, and not yet be gone.
  while (outside_wakers_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  // Their free stacks, with what the sanitizers know of them, go with the slabs.
  for (auto& worker : workers_) {
    worker->cache_.GiveBackStacks();
    if (worker->loop_stack_ != nullptr) TakeBack(*worker->loop_stack_);
    delete worker->next_policy_.load();
  }
}

// A call of a real pool must not wait for a worker that waits for it: one whose OS thread drives
// the simulated workers that the call comes from.
void Pool::CheckNotCalledBack() const {
  const Worker* outer = Worker::Current();
  while (outer != nullptr && outer->simulator() != nullptr) {
    outer = outer->simulator()->outer();
    CheckContract(outer == nullptr || &outer->pool() != this,
                  "Pool::Run was called on behalf of a pool's own thread that drives a simulated "
                  "pool: that holds up its worker until the call returns, so the call may not need "
                  "the pool's workers");
  }
}

void Pool::RunCall(Call& call) {
  if (simulator_ == nullptr) CheckNotCalledBack();
  Worker& worker = *workers_[next_worker_.fetch_add(1) % workers_.size()];
  Stack* stack = nullptr;
  const std::vector<Descriptor*> descriptors = TakeDescriptors(1);
  if (descriptors.empty() || stacks_.Take({&stack, 1}) == 0) {
    if (!descriptors.empty()) TakeBack(*descriptors[0]);
    throw std::bad_alloc();
  }
  Descriptor& thread = *descriptors[0];
  callers_.fetch_add(1);
  thread.stack = stack;
  stack->thread = &thread;
  thread.completion.ResetDetached();
  thread.name = "Pool::Run";
  thread.depth = 0;
  const Worker* const caller = Worker::Current();
  const bool is_called_by_thread = caller != nullptr && caller->current() != nullptr;
  thread.inherited = is_called_by_thread ? caller->current()->inherited : 0;
  thread.is_new_call = true;
  thread.last = &worker;
  thread.exceptions = {};
  thread.ClearHint();
  thread.body = &call;
  thread.drop = nullptr;
  thread.sp = PrepareFlow(stack->top(), &CallMain, &thread);
  Worker::MakeReady(thread);
  if (simulator_ != nullptr) {
    try {
      simulator_->RunUntil(call.done);
    } catch (const Deadlock&) {
      callers_.fetch_sub(1);
      throw;
    }
  } else {
    // After MakeReady: a call counts once its thread can be found.
    calls_.fetch_add(1);
    WaitOutside(call.caller, "Pool::Run of another pool");
    calls_.fetch_sub(1);
  }
  callers_.fetch_sub(1);
  if (call.error != nullptr) std::rethrow_exception(call.error);
}

void Pool::CallMain(void* handoff, void* argument) {
  Descriptor& thread = *static_cast<Descriptor*>(argument);
  thread.is_new_call = false;
  Worker::Resumed(thread, static_cast<Handoff*>(handoff));
  Call& call = *static_cast<Call*>(thread.body);
  try {
    call.run(call);
  } catch (...) {
    call.error = std::current_exception();
  }
  call.done = true;
  call.caller.Wake();  // The call may be gone right after.
  Worker::End(thread);
}

std::int64_t Pool::Finds() const {
  std::int64_t finds = 0;
  for (const auto& worker : workers_) finds += worker->counters_.finds.value();
  return finds;
}

std::int64_t Pool::Waits(WokenBy by) const {
  std::int64_t waits = 0;
  for (const auto& worker : workers_) waits += worker->waits_[static_cast<int>(by)].value();
  return waits;
}

void Pool::CheckForDeadlock(Worker& worker) {
  // Nobody runs, nothing is ready, and it was so all the time: whoever has run
  // meanwhile has found something, or is not asleep again.
  const std::int64_t finds = Finds();
  const auto all_sleep = [&] {
    return !worker.AnyWork() && idle_.sleepers() == workers() && Finds() == finds;
  };
  if (idle_.sleepers() != workers() || calls_.load() <= 0 || Waits(WokenBy::kSystem) > 0) {
    return;
  }
  const bool from_outside = woken_from_outside_ && Waits(WokenBy::kAnyone) > 0;
  if (!all_sleep()) return;
  if (from_outside && !IsStall(finds)) return;
  const std::string report = BlockedThreads();
  // Once more: who is in the report may have come only now. A call that is done and
  // whose caller has not yet woken leaves no thread.
  if (report.empty() || !all_sleep()) return;
  if (!from_outside) DieOfDeadlock(report);
  WarnOfStall(report);
}

// Is it for so long, and not told yet?
bool Pool::IsStall(std::int64_t finds) {
  if (stall_report_after_ <= std::chrono::nanoseconds::zero()) return false;
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(stall_mutex_);
  if (stall_.finds != finds) stall_ = {finds, now, false};
  if (stall_.reported || now - stall_.since < stall_report_after_) return false;
  stall_.reported = true;
  return true;
}

std::vector<TraceEvent> Pool::TraceEvents() const {
  std::vector<TraceEvent> events;
  for (const auto& worker : workers_) {
    events.insert(events.end(), worker->trace_.begin(), worker->trace_.end());
  }
  return events;
}

std::int64_t Pool::lost_trace_events() const {
  std::int64_t lost = 0;
  for (const auto& worker : workers_) lost += worker->lost_events_;
  return lost;
}

double Pool::Nanoseconds(int worker) const {
  CheckContract(worker >= 0 && worker < workers(), "a pool's workers have numbers from 0");
  if (simulator_ != nullptr) return simulator_->Clock(worker);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - made_).count();
}

Deadline Pool::Now(int worker) const {
  if (simulator_ == nullptr) return Clock::now();
  // A worker that has computed for centuries is at the end of time.
  const auto left = std::chrono::duration<double, std::nano>(Deadline::max() - made_);
  const double now = Nanoseconds(worker);
  if (now >= left.count()) return Deadline::max();
  return made_ + std::chrono::nanoseconds(static_cast<std::int64_t>(now));
}

void Pool::SetPolicy(const AnyPolicy& policy) {
  CheckContract(static_cast<bool>(policy), "a pool needs a policy");
  // First all copies: should one throw, the pool's policy is what it was.
  std::vector<std::unique_ptr<AnyPolicy>> copies;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    copies.push_back(std::make_unique<AnyPolicy>(policy));
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    delete workers_[i]->next_policy_.exchange(copies[i].release(), std::memory_order_acq_rel);
  }
}

std::string Pool::BlockedThreads() {
  std::string report;
  const std::lock_guard lock(mutex_);
  for (const auto& block : descriptor_blocks_) {
    for (int i = 0; i < kBlock; ++i) {
      const Descriptor& thread = block[static_cast<std::size_t>(i)];
      const char* const what = thread.waits_for;
      if (what == nullptr) continue;
      const char* const name = thread.shown_name();
      const std::uint32_t depth = thread.depth;
      absl::StrAppend(&report, name, " (depth ", depth, ") waits for ", what, "\n");
    }
  }
  return report;
}

std::vector<Descriptor*> Pool::TakeDescriptors(int count) {
  std::vector<Descriptor*> taken;
  const std::lock_guard lock(mutex_);
  try {
    taken.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      if (free_descriptors_ == nullptr) {
        descriptor_blocks_.push_back(std::make_unique<Descriptor[]>(kBlock));
        for (int j = 0; j < kBlock; ++j) {
          Descriptor& made = descriptor_blocks_.back()[static_cast<std::size_t>(j)];
          made.pool = this;
          made.next_free = free_descriptors_;
          free_descriptors_ = &made;
        }
      }
      taken.push_back(free_descriptors_);
      free_descriptors_ = free_descriptors_->next_free;
    }
  } catch (const std::bad_alloc&) {  // As many as there were.
  }
  return taken;
}

void Pool::GiveBackDescriptors(Descriptor* list) {
  const std::lock_guard lock(mutex_);
  while (list != nullptr) {
    Descriptor* const next = list->next_free;
    list->next_free = free_descriptors_;
    free_descriptors_ = list;
    list = next;
  }
}

}  // namespace lwt
