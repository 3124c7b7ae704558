#include "taskrt/ompc/omp_task.h"

#include "absl/base/thread_annotations.h"
#include "taskrt/ompc/begun.h"
#include "topo/mutex.h"

namespace taskrt {
namespace {

thread_local OmpTask* current = nullptr;

topo::Mutex left_mutex;
// Tasks whose creators have ended before them. They have ended when all tasks have.
OmpChildren left ABSL_GUARDED_BY(left_mutex);

}  // namespace

// Not inlined: a thread reads the variable of the OS thread that it runs in.
[[gnu::noinline]] OmpTask* CurrentTask() { return current; }
[[gnu::noinline]] void SetCurrentTask(OmpTask* task) { current = task; }

void OmpChildren::Add(std::shared_ptr<OmpChild> child) {
  all_.push_back(std::move(child));
  if (all_.size() < looks_at_) return;
  std::erase_if(all_, [](const auto& other) { return other->ended.IsSet(); });
  looks_at_ = 2 * all_.size() + 64;
}

void LeaveChild(std::shared_ptr<OmpChild> child) {
  const topo::Lock lock(left_mutex);
  left.Add(std::move(child));
}

void ForgetTasks() {
  const topo::Lock lock(left_mutex);
  (void)left.TakeAll();
}

void EndTask(OmpTask& task) {
  for (auto& child : task.children.TakeAll()) LeaveChild(std::move(child));
  for (const auto& [pointer, order] : task.order) BegunRuntime()->GiveOrder(order);
  task.order.clear();
  if (task.group != nullptr) task.group->AddMapped(task.mapped);
  task.mapped.clear();
  if (task.deferred != nullptr) task.deferred->fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace taskrt
