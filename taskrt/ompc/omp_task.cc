#include "taskrt/ompc/omp_task.h"

#include "absl/base/thread_annotations.h"
#include "taskrt/ompc/begun.h"
#include "topo/mutex.h"

namespace taskrt {
namespace {

thread_local OmpTask* current = nullptr;

topo::Mutex left_mutex;
// Whose creators have ended before them. Those that are here have ended when all tasks have.
OmpChildren left ABSL_GUARDED_BY(left_mutex);
std::size_t looks_at ABSL_GUARDED_BY(left_mutex) = 64;

}  // namespace

// Not inlined: a thread reads the variable of the OS thread that it runs in.
[[gnu::noinline]] OmpTask* CurrentTask() { return current; }
[[gnu::noinline]] void SetCurrentTask(OmpTask* task) { current = task; }

void LeaveChild(std::shared_ptr<OmpChild> child) {
  const topo::Lock lock(left_mutex);
  left.push_back(std::move(child));
  if (left.size() < looks_at) return;
  std::erase_if(left, [](const auto& other) { return other->ended.IsSet(); });
  looks_at = 2 * left.size() + 64;
}

void ForgetTasks() {
  const topo::Lock lock(left_mutex);
  left.clear();
}

void EndTask(OmpTask& task) {
  for (auto& child : task.children) LeaveChild(std::move(child));
  task.children.clear();
  for (const auto& [pointer, order] : task.order) BegunRuntime()->GiveOrder(order);
  task.order.clear();
  if (task.group != nullptr) task.group->AddMapped(task.mapped);
  task.mapped.clear();
  if (task.deferred != nullptr) task.deferred->fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace taskrt
