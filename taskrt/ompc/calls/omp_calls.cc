#include "taskrt/ompc/omp_calls.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "lwt/mutex.h"
#include "lwt/thread.h"
#include "taskrt/ompc/calls/on_begun.h"
#include "taskrt/ompc/data_environment/data_environment.h"
#include "taskrt/ompc/pointers/begun.h"
#include "taskrt/ompc/pointers/ompc_kernel.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/ompc/tasks/end_member.h"
#include "taskrt/ompc/tasks/omp_create.h"
#include "taskrt/ompc/tasks/omp_task.h"
#include "taskrt/ompc/team/team.h"
#include "topo/mutex.h"

namespace {

using taskrt::Answer;
using taskrt::Caller;
using taskrt::Creator;
using taskrt::DataEnvironment;
using taskrt::ExitType;
using taskrt::MapsOf;
using taskrt::OmpTask;
using taskrt::PointerMap;
using taskrt::PointerRuntime;
using taskrt::TaskGroup;

absl::Status ExitTarget(PointerRuntime& runtime, const std::vector<PointerMap>& maps) {
  std::vector<const PointerMap*> all;
  for (const PointerMap& map : maps) all.push_back(&map);
  return DataEnvironment(runtime).ExitTarget(all);
}

absl::Status EndGroup() {
  const std::unique_ptr<TaskGroup> group = [&] {
    OmpTask& task = taskrt::ThisTask();
    if (task.extras == nullptr || task.extras->groups.empty()) return std::unique_ptr<TaskGroup>();
    task.extras->groups.back()->Wait();
    std::unique_ptr<TaskGroup> last = std::move(task.extras->groups.back());
    task.extras->groups.pop_back();
    // Of the task's own maps, some may be of tasks before the group, which are waited for then.
    last->AddMapped(std::exchange(task.extras->mapped, {}));
    return last;
  }();
  if (group == nullptr) return absl::FailedPreconditionError("no taskgroup was begun");
  PointerRuntime* const runtime = taskrt::BegunRuntime();
  if (runtime == nullptr) return absl::OkStatus();
  absl::Status status = ExitTarget(*runtime, group->TakeMapped());
  status.Update(runtime->FirstError());
  return status;
}

void DoNothing(void**) {}

// The kernel of this name; where there is none, what `registers` registers. Another task may do so,
// too: the first is the kernel.
template <typename Registers>
void* KernelOr(const char* name, Registers registers) {
  if (void* const known = ompc_target_get_kernel(name); known != nullptr) return known;
  const int answer = registers();
  void* const kernel = ompc_target_get_kernel(name);
  if (kernel == nullptr) ompc_require(answer);
  return kernel;
}

// By name. Never freed: a task may hold it at the program's end.
topo::Mutex criticals_mutex;
std::map<std::string, std::unique_ptr<lwt::Mutex>, std::less<>> criticals
    ABSL_GUARDED_BY(criticals_mutex);
lwt::Mutex& CriticalOf(const char* name) {
  const topo::Lock lock(criticals_mutex);
  const auto known = criticals.find(std::string_view(name));
  if (known != criticals.end()) return *known->second;
  return *criticals.emplace(name, std::make_unique<lwt::Mutex>()).first->second;
}

// Held from one call to another. A member's own flow has tasks run that may be those that hold it.
void Lock(lwt::Mutex& mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS;
void Lock(lwt::Mutex& mutex) {
  if (taskrt::OwnGuest() == nullptr) {
    if (!mutex.try_lock()) taskrt::WaitBy([&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex.lock(); });
    return;
  }
  for (int looks = 0; !mutex.try_lock(); ++looks) taskrt::GiveWay(looks);
}
void Unlock(lwt::Mutex& mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS;
void Unlock(lwt::Mutex& mutex) { mutex.unlock(); }

}  // namespace

void ompc_begin(void) {
  if (ompc_has_begun() != 0) return;
  static auto& beginning = *new topo::Mutex;
  const topo::Lock lock(beginning);
  if (ompc_has_begun() != 0) return;
  ompc_require(ompc_init(nullptr));
  (void)std::atexit([] {
    const taskrt::PointerRuntime* const runtime = taskrt::BegunRuntime();
    if (runtime != nullptr && !runtime->IsLeftAtExit()) ompc_finish();
  });
}

void* ompc_kernel_or(const char* name, ompc_function function) {
  ompc_kernel kernel = {};
  kernel.name = name;
  kernel.function = function;
  return KernelOr(name, [&] { return ompc_target_register(&kernel); });
}

void* ompc_kernel_of_loop(const ompc_kernel* kernel, int blocks) {
  return KernelOr(kernel->name, [&] {
    return taskrt::DoOnBegun("target", [&](PointerRuntime& runtime) {
      auto its = taskrt::KernelOf(*kernel);
      if (!its.ok()) return its.status();
      taskrt::OpenClKernel opencl = *its->opencl();
      opencl.blocks = blocks;
      its->OnOpenCl(std::move(opencl));
      return runtime.RegisterLoop(kernel->function, *std::move(its));
    });
  });
}

int ompc_task_create(const ompc_task* task) {
  OmpTask& parent = taskrt::ThisTask();
  if (parent.extras != nullptr && parent.extras->recorder != nullptr) {
    parent.extras->recorder->Add(*task);
  }
  const bool has_maps = task->kernel != nullptr || task->map_count > 0;
  if (!has_maps && task->in_count == 0 && task->out_count == 0) {
    taskrt::CreateTask(*task, parent);
    return 0;
  }
  ompc_begin();
  return taskrt::DoOnBegun("task", [&](PointerRuntime& runtime) {
    const Creator creator;
    return has_maps ? CreateOnDevice(runtime, *task, creator)
                    : CreateOnHost(runtime, *task, creator);
  });
}

int ompc_defers(void) {
  const OmpTask& task = taskrt::ThisTask();
  const bool is_recorded = task.extras != nullptr && task.extras->recorder != nullptr;
  return is_recorded || taskrt::Defers(task) ? 1 : 0;
}

void ompc_task_run(ompc_function function, void* const* args, int is_final) {
  taskrt::RunTask(function, args, taskrt::TypeOf(is_final));
}

int ompc_task_wait(void) {
  if (taskrt::HasNoChild()) return 0;
  const taskrt::KeepsTask keeps;
  OmpTask& task = taskrt::ThisTask();
  taskrt::RefuseRecording(task);
  WaitForChildren(task);
  PointerRuntime* const runtime = taskrt::BegunRuntime();
  if (runtime == nullptr) return 0;
  const bool is_home = task.extras == nullptr && taskrt::RunningTask() != nullptr;
  return is_home ? 0 : Answer("taskwait", BringHome(*runtime, task));
}

int ompc_task_wait_for(int in_count, void* const* in_data, int out_count, void* const* out_data) {
  ompc_task task = {};
  task.name = "taskwait";
  task.function = DoNothing;
  task.in_count = in_count;
  task.in_data = in_data;
  task.out_count = out_count;
  task.out_data = out_data;
  task.is_undeferred = 1;
  return ompc_task_create(&task);
}

int ompc_task_yield(void) {
  const taskrt::KeepsTask keeps;
  if (lwt::Guest* const guest = taskrt::OwnGuest()) {
    (void)guest->RunOne();
  } else if (lwt::IsLightweightThread()) {
    (void)lwt::Yield();
  }
  return 0;
}

__UINTPTR_TYPE__ ompc_event(void) {
  OmpTask& task = taskrt::KeptTask();
  taskrt::RefuseRecording(task);
  return reinterpret_cast<__UINTPTR_TYPE__>(&taskrt::TaskEvent::Make(task));
}

int ompc_in_final(void) {
  const OmpTask* const task = taskrt::CurrentTask();
  return task != nullptr && task->is_final ? 1 : 0;
}

int ompc_group_begin(void) {
  OmpTask& task = taskrt::KeptTask();
  taskrt::RefuseRecording(task);
  task.its().groups.push_back(std::make_unique<TaskGroup>(task.innermost()));
  return 0;
}
int ompc_group_end(void) {
  const taskrt::KeepsTask keeps;
  return taskrt::Answer("taskgroup", EndGroup());
}

long ompc_loop_tasks(long count, long grainsize, long num_tasks) {
  if (count <= 0) return 0;
  if (grainsize > 0) return std::max(1L, count / grainsize);
  const long few = 8L * taskrt::ThisMember().size;
  return std::min(count, num_tasks > 0 ? num_tasks : few);
}

int ompc_critical_begin(void** section, const char* name) {
  const taskrt::KeepsTask keeps;
  const std::atomic_ref<void*> known(*section);  // Tasks that come first together find the same.
  void* mutex = known.load(std::memory_order_acquire);
  if (mutex == nullptr) {
    mutex = &CriticalOf(name);
    known.store(mutex, std::memory_order_release);
  }
  Lock(*static_cast<lwt::Mutex*>(mutex));
  return 0;
}
int ompc_critical_end(void** section) {
  Unlock(
      *static_cast<lwt::Mutex*>(std::atomic_ref<void*>(*section).load(std::memory_order_acquire)));
  return 0;
}

int ompc_data_begin(int map_count, void* const* maps) {
  return taskrt::DoOnBegun("target data", [&](PointerRuntime& runtime) {
    taskrt::RefuseRecording(taskrt::ThisTask());
    const Caller caller = taskrt::CallerOf(taskrt::RunningTask());
    absl::Status status;
    for (const PointerMap* const map : MapsOf(map_count, maps)) {
      status.Update(DataEnvironment(runtime).Enter(*map, caller));
    }
    return status;
  });
}
int ompc_data_end(int map_count, void* const* maps, int deletes) {
  return taskrt::DoOnBegun("target data", [&](PointerRuntime& runtime) {
    taskrt::RefuseRecording(taskrt::ThisTask());
    const Caller caller = taskrt::CallerOf(taskrt::RunningTask());
    const ExitType type = deletes != 0 ? ExitType::kDelete : ExitType::kRelease;
    absl::Status status;
    for (const PointerMap* const map : MapsOf(map_count, maps)) {
      status.Update(DataEnvironment(runtime).Exit(*map, type, caller));
    }
    return status;
  });
}
int ompc_data_update(int map_count, void* const* maps) {
  return taskrt::DoOnBegun("target update", [&](PointerRuntime& runtime) {
    taskrt::RefuseRecording(taskrt::ThisTask());
    const Caller caller = taskrt::CallerOf(taskrt::RunningTask());
    DataEnvironment data(runtime);
    absl::Status status;
    for (const PointerMap* const map : MapsOf(map_count, maps)) {
      status.Update(map->to_host ? data.UpdateHost(*map, caller) : data.UpdateDevice(*map, caller));
    }
    return status;
  });
}

void* ompc_kernel_with(void* kernel, int units, size_t items0, size_t items1, size_t items2) {
  const PointerRuntime::Code* code = nullptr;
  (void)taskrt::DoOnBegun("target", [&](PointerRuntime& runtime) {
    if (kernel == nullptr) return absl::InvalidArgumentError("the kernel is null");
    const auto with = runtime.With(*static_cast<const PointerRuntime::Code*>(kernel), units,
                                   {items0, items1, items2});
    if (!with.ok()) return with.status();
    code = *with;
    return absl::OkStatus();
  });
  return const_cast<PointerRuntime::Code*>(code);
}
