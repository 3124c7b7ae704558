#include "lwt/kernel/worker_watch.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/options.h"
#include "lwt/wait/blocked_threads.h"
#include "lwt/wait/deadlock_report.h"

namespace lwt {
namespace {

constexpr std::int64_t kLongestSleepNanoseconds = 1'000'000'000;

// The name and depth of the thread that it runs, which may have changed meanwhile.
std::string ThreadOf(const Scheduler& worker) {
  const Descriptor* const thread = worker.current_of_other();
  if (thread == nullptr) return "no thread";
  const std::uint32_t depth = thread->depth;
  return absl::StrCat(thread->shown_name(), " (depth ", depth, ")");
}

}  // namespace

WorkerWatch::WorkerWatch(const PoolOptions& options)
    : is_on_(options.stall_report_after > std::chrono::nanoseconds::zero() && !options.simulation),
      period_ns_(is_on_ ? HeldWorkers(options.stall_report_after.count()).period_ns()
                        : kLongestSleepNanoseconds),
      held_(options.stall_report_after.count()) {}

void WorkerWatch::Enter(int worker, int workers) {
  const topo::Lock lock(mutex_);
  os_threads_.resize(static_cast<std::size_t>(workers));
  os_threads_[static_cast<std::size_t>(worker)] = OsThread::Current();
  ++entered_;
}

void WorkerWatch::Look(const PoolShared& pool) {
  if (!is_on_ || has_warned_.load(std::memory_order_relaxed)) return;
  const std::int64_t now = (std::chrono::steady_clock::now().time_since_epoch()).count();
  const topo::Lock lock(mutex_);
  // Several OS threads may wait for the pool.
  if (entered_ != pool.workers() || now - looked_ns_ < period_ns_ / 2) return;
  looked_ns_ = now;
  std::vector<WorkerSample> samples;
  for (int i = 0; i < pool.workers(); ++i) {
    const std::optional<std::int64_t> cpu_ns =
        os_threads_[static_cast<std::size_t>(i)].CpuNanoseconds();
    if (!cpu_ns.has_value()) return;
    samples.push_back({*cpu_ns, pool.scheduler(i).thief().is_asleep()});
  }
  const std::vector<int> held = held_.Add(now, samples);
  std::string report;
  for (const int worker : held) {
    const std::string wait = os_threads_[static_cast<std::size_t>(worker)].Wait();
    // A worker that may run, and is kept from it by others, is not held.
    if (wait.empty()) return;
    absl::StrAppend(&report, "worker ", worker, ": ", ThreadOf(pool.scheduler(worker)), " ", wait,
                    "\n");
  }
  if (report.empty()) return;
  has_warned_.store(true, std::memory_order_relaxed);
  WarnOfHeldWorkers(report, BlockedThreads(pool.descriptors));
}

}  // namespace lwt
