// The tasks of a runtime that only plans, as PlanCopies takes them.
//
// Threads: one at a time; TaskOrder guards it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/place.h"
#include "taskrt/plan/plan.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task.h"

namespace taskrt {

// A value.
class PlanRecorder {
 public:
  void Add(const Task& task, Place place);
  // The host reads all of these that are registered by the user.
  void AddWait(std::span<const std::unique_ptr<BlockRecord>> blocks);
  // No place can run the task; Plan says so for the first of them.
  void Refuse(const Task& task, const absl::Status& why);

  // FailedPrecondition: no place can run some task, or its place is chosen when it can begin.
  // Others: PlanCopies'.
  absl::StatusOr<CopyPlan> Plan(std::span<const std::unique_ptr<BlockRecord>> blocks,
                                const PlanOptions& options) const;

 private:
  std::vector<PlannedTask> tasks_;
  absl::Status refused_;
};

}  // namespace taskrt
