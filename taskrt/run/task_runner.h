// Starts tasks that can begin, each on a lightweight thread of the pool. A task that ends starts
// its successors that can begin then.
//
// Threads: any, inside and outside of the pool.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "lwt/pool.h"
#include "taskrt/awaited.h"
#include "taskrt/order/first_error.h"
#include "taskrt/order/task_counts.h"
#include "taskrt/order/task_marks.h"
#include "taskrt/order/task_order.h"
#include "taskrt/run/commutative_tasks.h"
#include "taskrt/run/injector.h"
#include "taskrt/run/outcomes.h"
#include "taskrt/run/task_executor.h"
#include "taskrt/task/task.h"

namespace taskrt {

// A resource. What it is made of outlives it.
class TaskRunner {
 public:
  struct Parts {
    lwt::Pool& pool;
    TaskOrder& order;
    Mover& mover;
    TaskCounts& counts;
    FirstError& error;
    Outcomes& outcomes;
    const TaskMarks& marks;
    Recorder* recorder;  // null: nothing is traced
    bool is_simulated = false;
    bool stops_at_errors = true;
  };
  TaskRunner(const Parts& parts, const TaskExecutor& executor)
      : parts_(parts), executor_(executor) {}

  // From here on tasks may come from outside of the pool. Errors: ResourceExhausted.
  absl::Status Open();
  // No task comes from there any more; those that came are started.
  void Close() { injector_.reset(); }
  // In a child of fork(2), where the injector's thread is not: nothing is waited for.
  void Abandon() { (void)injector_.release(); }

  // Does the calling thread run in the pool?
  bool IsInside() const;
  // The task can begin.
  void Start(Task& task);
  void StartAll(TaskList& ready) {
    ready.ForEach([this](Task& task) { Start(task); });
  }
  // Returns when the awaited task has ended or was left out.
  void WaitFor(Awaited& awaited, const char* what);
  // Calls `wait()`, during which the running task's slot, if it has one, is free for others.
  void WaitBy(const std::function<void()>& wait);

 private:
  void StartNow(Task& task);
  void StartTaken();
  void Spawn(Task& task);
  void RunChain(TaskThread& thread);
  void RunOne(Task& task);
  void Fail(const Task& task, const absl::Status& status);
  bool IsLeftOut(const Task& task);
  template <typename Begin, typename BeforeLast>
  void End(Task& task, Begin begin, BeforeLast before_last);

  const Parts parts_;
  TaskExecutor executor_;
  CommutativeTasks commutative_;
  std::unique_ptr<Injector> injector_;  // null: of a pool that is simulated
};

}  // namespace taskrt
