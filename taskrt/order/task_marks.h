// Which task a thread works for: the task whose body it runs, or the one that has started it, or
// has started the thread that has, and so on, in whatever pool.
//
// Each thread inherits a word from the thread that starts it (lwt::Inherited). A thread that runs
// tasks has there the runtime's number and the task's submission index, of which a runtime has so
// many in half a year. A detached thread may outlive the task and the runtime: so the word is no
// pointer, and the task is looked for among those that have not ended.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "lwt/thread.h"
#include "taskrt/task/task.h"

namespace taskrt {

class TaskMarks;

// What the body of a lightweight thread that runs tasks begins with (lwt::RunningBody).
struct TaskThread {
  static constexpr char kName[] = "task";

  const TaskMarks& marks;  // of the runtime
  Task* task;              // the one that runs
};

// A resource: one of a runtime.
class TaskMarks {
 public:
  TaskMarks() = default;
  TaskMarks(const TaskMarks&) = delete;
  TaskMarks& operator=(const TaskMarks&) = delete;

  // What threads that work for the task inherit.
  std::uint64_t Of(SubmitIndex index) const { return mark_ + index; }

  // The task whose body the calling thread runs; null: it runs none of this runtime's.
  Task* Running() const {
    const auto* const thread = lwt::RunningBody<TaskThread>(TaskThread::kName);
    return thread != nullptr && &thread->marks == this ? thread->task : nullptr;
  }
  // The index of the task for which the calling thread works; none: for none of this runtime's.
  std::optional<SubmitIndex> Inherited() const {
    if (!lwt::IsLightweightThread()) return std::nullopt;
    const std::uint64_t inherited = lwt::Inherited();
    if (inherited >> kIndexBits != mark_ >> kIndexBits) return std::nullopt;
    return inherited - mark_;
  }

 private:
  static constexpr int kIndexBits = 48;
  static std::uint64_t NewMark() {
    static std::atomic<std::uint64_t> last{0};
    return (last.fetch_add(1, std::memory_order_relaxed) + 1) << kIndexBits;
  }

  const std::uint64_t mark_ = NewMark();
};

}  // namespace taskrt
