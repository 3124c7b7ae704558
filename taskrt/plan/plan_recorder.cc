#include "taskrt/plan/plan_recorder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/task/describe.h"

namespace taskrt {

void PlanRecorder::Add(const Task& task, Place place) {
  PlannedTask planned = {.name = task.kernel().name(), .accesses = {}, .place = place};
  for (const TaskAccess& access : task.accesses()) {
    planned.accesses.push_back({access.block->id, access.mode});
  }
  tasks_.push_back(std::move(planned));
}

void PlanRecorder::AddWait(std::span<const std::unique_ptr<BlockRecord>> blocks) {
  PlannedTask wait = {.name = "wait", .accesses = {}, .place = kHost};
  for (const auto& block : blocks) {
    if (!block->is_partial) wait.accesses.push_back({block->id, Mode::kIn});
  }
  tasks_.push_back(std::move(wait));
}

void PlanRecorder::Refuse(const Task& task, const absl::Status& why) {
  refused_.Update(absl::Status(why.code(), absl::StrCat(Describe(task), ": ", why.message())));
}

absl::StatusOr<CopyPlan> PlanRecorder::Plan(std::span<const std::unique_ptr<BlockRecord>> blocks,
                                            const PlanOptions& options) const {
  if (!refused_.ok()) return refused_;
  for (const PlannedTask& task : tasks_) {
    if (task.place != kWhenReady) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("task ", task.name,
                     ": its place is chosen when it can begin, so that there "
                     "is no plan"));
  }
  std::vector<PlannedBlock> planned;
  for (const auto& block : blocks) planned.push_back({block->host.bytes(), block->is_partial});
  const auto copies = PlanCopies(planned, tasks_, options);
  if (!copies.ok()) return copies.status();
  return CopyPlan{*copies, LeastCopies(planned, tasks_)};
}

}  // namespace taskrt
