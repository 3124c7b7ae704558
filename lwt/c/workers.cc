#include "lwt/c/workers.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "lwt/kernel/overflow_watch.h"
#include "topo/mutex.h"

namespace lwt::c {
namespace {

topo::Mutex pool_mutex;
// No destructor of it runs as the program exits: threads that are left then end with the program,
// as those of pthreads do.
Pool* pool ABSL_GUARDED_BY(pool_mutex) = nullptr;
WorkersOptions defaults ABSL_GUARDED_BY(pool_mutex);
StackDefault stack_default ABSL_GUARDED_BY(pool_mutex);
std::atomic<Pool*> running{nullptr};     // it, once it runs
std::atomic<bool> children_first{true};  // as in `defaults`

std::size_t FromEnvironment(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  const long value = text == nullptr ? 0 : std::atol(text);
  return value > 0 ? static_cast<std::size_t>(value) : otherwise;
}

std::size_t StackBytesFor(const WorkersOptions& options) ABSL_EXCLUSIVE_LOCKS_REQUIRED(pool_mutex) {
  return options.stack_bytes > 0 ? options.stack_bytes
                                 : FromEnvironment("MYTH_DEF_STKSIZE", stack_default.bytes);
}

}  // namespace

std::size_t DefaultStackBytes() {
  if (Pool* const now = running.load(); now != nullptr) return now->stack_bytes();
  const topo::Lock lock(pool_mutex);
  return StackBytesFor(defaults);
}
void SetStackDefault(const StackDefault& given) {
  const topo::Lock lock(pool_mutex);
  stack_default = given;
}

void SetDefaults(const WorkersOptions& options) {
  const topo::Lock lock(pool_mutex);
  defaults = options;
  children_first.store(options.children_first, std::memory_order_relaxed);
}

bool RunsChildrenFirst() { return children_first.load(std::memory_order_relaxed); }

WorkersOptions Defaults() {
  const topo::Lock lock(pool_mutex);
  return defaults;
}

int StartWorkers(const WorkersOptions& options) {
  const topo::Lock lock(pool_mutex);
  if (pool != nullptr) return 0;
  PoolOptions made_with;
  made_with.workers = options.workers > 0
                          ? options.workers
                          : static_cast<int>(FromEnvironment("MYTH_NUM_WORKERS", 0));
  made_with.stack_bytes = StackBytesFor(options);
  if (options.pinned) made_with.placement = topo::Policy::kScatter;
  auto made = Pool::Create(made_with);
  if (!made.ok()) return absl::IsInvalidArgument(made.status()) ? EINVAL : EAGAIN;
  pool = std::move(made)->release();
  AdviseOnOverflows(*pool, stack_default.advice);
  running.store(pool);
  return 0;
}

void StopWorkers() {
  std::unique_ptr<Pool> ending;
  {
    const topo::Lock lock(pool_mutex);
    ending.reset(std::exchange(pool, nullptr));
  }
  // Without the lock: threads that the destructor waits for may call functions that take it.
  Pool* was = ending.get();
  ending.reset();
  running.compare_exchange_strong(was, nullptr);
}

Pool& ThePool() {
  // A thread that still runs while StopWorkers waits is on a worker of the ending pool.
  if (Worker* const worker = Worker::Current(); worker != nullptr) return worker->pool();
  if (running.load() == nullptr && StartWorkers(Defaults()) != 0) {
    std::fputs("myth: the workers cannot be started; myth_init returns the reason.\n", stderr);
    std::abort();
  }
  return *running.load();
}

}  // namespace lwt::c
