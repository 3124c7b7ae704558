// What OpenMP knows of a task while its body runs: the tasks that it has created, in which groups,
// and how these are ordered among themselves.
//
// Threads: the one that runs the body; a group's, any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "lwt/mutex.h"
#include "taskrt/handle.h"
#include "taskrt/ompc/pointer_runtime.h"

namespace taskrt {

class TaskGroup;
struct OmpChild;

// A resource: tasks that have not been waited for. Those that have ended are forgotten now and
// then, so that there are at most twice as many as run, and some.
class OmpChildren {
 public:
  void Add(std::shared_ptr<OmpChild> child);
  std::vector<std::shared_ptr<OmpChild>> TakeAll() { return std::exchange(all_, {}); }

 private:
  std::vector<std::shared_ptr<OmpChild>> all_;
  std::size_t looks_at_ = 64;  // so many
};

// A resource.
struct OmpTask {
  bool is_final = false;
  int depth_in_place = 0;  // of bodies that run on one stack
  // Blocks that the task, or one above it, uses while it runs: their begins.
  std::vector<std::uintptr_t> held;
  std::shared_ptr<TaskGroup> group;                // the innermost in which it was created
  std::vector<std::shared_ptr<TaskGroup>> groups;  // that it has begun
  OmpChildren children;
  // What orders the children, by the pointers of their dependencies.
  std::map<std::uintptr_t, Handle> order;
  std::vector<PointerMap> mapped;        // by children on devices, until they are waited for
  std::atomic<int>* deferred = nullptr;  // counts it until its body has ended

  bool Holds(std::uintptr_t begin) const {
    return std::find(held.begin(), held.end(), begin) != held.end();
  }
  const std::shared_ptr<TaskGroup>& innermost() const {
    return groups.empty() ? group : groups.back();
  }
};

// A resource: a task that another has created, from then until it has ended and been waited for.
struct OmpChild {
  lwt::Event ended;
  PointerCall call;
  OmpTask task;
};

// The tasks that were created since a taskgroup's begin, by those in it, too.
//
// A resource. Threads: any.
class TaskGroup {
 public:
  void Add(std::shared_ptr<OmpChild> child) {
    const std::lock_guard lock(mutex_);
    children_.Add(std::move(child));
  }
  void AddMapped(const std::vector<PointerMap>& maps) {
    if (maps.empty()) return;
    const std::lock_guard lock(mutex_);
    mapped_.insert(mapped_.end(), maps.begin(), maps.end());
  }
  std::vector<PointerMap> TakeMapped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(mapped_, {});
  }
  // Returns when all have ended; those in it may create others until then.
  void Wait() {
    while (true) {
      std::vector<std::shared_ptr<OmpChild>> children;
      {
        const std::lock_guard lock(mutex_);
        children = children_.TakeAll();
      }
      if (children.empty()) return;
      for (const auto& child : children) child->ended.Wait("the tasks of a taskgroup");
    }
  }

 private:
  lwt::Mutex mutex_;
  OmpChildren children_;
  std::vector<PointerMap> mapped_;  // by tasks that have ended
};

// The task's body has ended, in the thread that ran it.
void EndTask(OmpTask& task);
// Kept until it has ended, for a creator that does not wait for it.
void LeaveChild(std::shared_ptr<OmpChild> child);

// The task whose body the calling thread runs; null: none of OpenMP's. A thread that waits may go
// on in another OS thread, whose task is another: what may wait keeps its own (KeepsTask).
OmpTask* CurrentTask();
void SetCurrentTask(OmpTask* task);

// A resource: at its end the current task is again that of its beginning.
class KeepsTask {
 public:
  KeepsTask() : task_(CurrentTask()) {}
  ~KeepsTask() { SetCurrentTask(task_); }
  KeepsTask(const KeepsTask&) = delete;
  KeepsTask& operator=(const KeepsTask&) = delete;

  OmpTask* task() const { return task_; }

 private:
  OmpTask* const task_;
};

}  // namespace taskrt
