// The tasks that a runtime shows to its scheduler, with the blocks that they access.
//
// Threads: those of the Scheduler's functions (scheduler.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskrt/access.h"
#include "taskrt/ids.h"
#include "taskrt/kernel.h"
#include "taskrt/place.h"

namespace taskrt {

class Task;

// A value: one access of a task. Valid as long as its TaskView.
class AccessView {
 public:
  Mode mode() const;
  std::uint64_t bytes() const;  // the size of the block
  int owner() const;            // the owner of the block (Runtime::Register)
  // The block's newest value will be at the place when all tasks have run whose places are chosen.
  bool IsPlannedAt(Place place) const;
  // The task adds to a partial block of its own place (Runtime::SetReduction).
  bool AddsToPartialBlock() const;

 private:
  friend class TaskView;
  AccessView(const Task& task, std::size_t index) : task_(&task), index_(index) {}

  const Task* task_;
  std::size_t index_;
};

// A value: names a task, during Scheduler::PlaceFor, and from Add until Ended returns.
class TaskView {
 public:
  const Kernel& kernel() const;
  int priority() const;
  SubmitIndex submit_index() const;
  std::uint64_t number() const;  // among the user's tasks, from 1; 0: the runtime's own
  Place place() const;           // kWhenReady: not chosen yet
  std::size_t access_count() const;
  AccessView access(std::size_t index) const;

  friend bool operator==(TaskView, TaskView) = default;

 private:
  friend class Dispatcher;
  friend class Submitter;
  explicit TaskView(Task& task) : task_(&task) {}
  Task& task() const { return *task_; }

  Task* task_;
};

}  // namespace taskrt
