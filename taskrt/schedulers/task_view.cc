#include "taskrt/schedulers/task_view.h"

#include "taskrt/task/block.h"
#include "taskrt/task/task.h"

namespace taskrt {

Mode AccessView::mode() const { return task_->accesses()[index_].mode; }
std::uint64_t AccessView::bytes() const { return task_->accesses()[index_].block->host.bytes(); }
int AccessView::owner() const { return task_->accesses()[index_].block->owner; }
bool AccessView::IsPlannedAt(Place place) const {
  return task_->accesses()[index_].block->planned_replicas.IsAt(place);
}
// The tasks of a graph use no partial blocks.
bool AccessView::AddsToPartialBlock() const {
  const TaskAccess& access = task_->accesses()[index_];
  return access.mode == Mode::kReduction && access.block->reduction != nullptr &&
         task_->graph() == nullptr;
}

const Kernel& TaskView::kernel() const { return task_->kernel(); }
int TaskView::priority() const { return task_->priority; }
SubmitIndex TaskView::submit_index() const { return task_->submit_index; }
std::uint64_t TaskView::number() const { return task_->number; }
Place TaskView::place() const { return task_->place(); }
std::size_t TaskView::access_count() const { return task_->accesses().size(); }
AccessView TaskView::access(std::size_t index) const { return {*task_, index}; }

}  // namespace taskrt
