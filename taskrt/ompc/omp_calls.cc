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
#include "taskrt/ompc/begun.h"
#include "taskrt/ompc/omp_create.h"
#include "taskrt/ompc/omp_task.h"
#include "taskrt/ompc/pointer_runtime.h"
#include "topo/mutex.h"

namespace {

using taskrt::Creator;
using taskrt::MapsOf;
using taskrt::OmpTask;
using taskrt::PointerMap;
using taskrt::PointerRuntime;

absl::Status Release(PointerRuntime& runtime, const std::vector<PointerMap>& maps) {
  std::vector<const PointerMap*> all;
  for (const PointerMap& map : maps) all.push_back(&map);
  return runtime.Release(all);
}

absl::Status WaitForChildren(PointerRuntime& runtime, const Creator& creator) {
  OmpTask* const task = creator.task();
  if (task == nullptr) return runtime.WaitAll();  // Which refuses it.
  for (const auto& child : task->children.TakeAll()) child->ended.Wait("children");
  const std::vector<PointerMap> mapped = std::exchange(task->mapped, {});
  if (creator.running() != nullptr) return Release(runtime, mapped);
  absl::Status status = runtime.ReleaseScratch();
  if (runtime.HasRegions()) {
    status.Update(Release(runtime, mapped));
    status.Update(runtime.FirstError());
    return status;
  }
  status.Update(runtime.EndRegion());
  return status;
}

absl::Status BeginGroup(PointerRuntime& runtime) {
  OmpTask* const task = Creator(runtime).task();
  if (task == nullptr) return absl::FailedPreconditionError("no task of OpenMP calls it");
  task->groups.push_back(std::make_shared<taskrt::TaskGroup>());
  return absl::OkStatus();
}

absl::Status EndGroup(PointerRuntime& runtime) {
  OmpTask* const task = Creator(runtime).task();
  if (task == nullptr || task->groups.empty()) {
    return absl::FailedPreconditionError("no taskgroup was begun");
  }
  const std::shared_ptr<taskrt::TaskGroup> group = task->groups.back();
  group->Wait();
  task->groups.pop_back();
  // Of the task's own maps, some may be of tasks before the group, which are waited for then.
  group->AddMapped(std::exchange(task->mapped, {}));
  absl::Status status = Release(runtime, group->TakeMapped());
  status.Update(runtime.FirstError());
  return status;
}

void DoNothing(void**) {}

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

// Held from one call to another.
void Lock(lwt::Mutex& mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS;
void Lock(lwt::Mutex& mutex) { mutex.lock(); }
void Unlock(lwt::Mutex& mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS;
void Unlock(lwt::Mutex& mutex) { mutex.unlock(); }

}  // namespace

void ompc_require(int answer) {
  if (answer == 0) return;
  std::fprintf(stderr, "%s\n", ompc_error());
  std::fflush(nullptr);
  std::_Exit(2);  // Without ompc_finish, for which other tasks and this one would have to end.
}

void ompc_begin(void) {
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
  if (ompc_target_get_kernel(name) == nullptr) {
    // Another task may do so, too: the first is the kernel.
    const int answer = ompc_target_register(&kernel);
    if (ompc_target_get_kernel(name) == nullptr) ompc_require(answer);
  }
  return ompc_target_get_kernel(name);
}

int ompc_task_create(const ompc_task* task) {
  return taskrt::DoOnBegun("task", [&](PointerRuntime& runtime) {
    const Creator creator(runtime);
    return task->kernel != nullptr || task->map_count > 0 ? CreateOnDevice(runtime, *task, creator)
                                                          : CreateOnHost(runtime, *task, creator);
  });
}

int ompc_task_wait(void) {
  return taskrt::DoOnBegun("taskwait", [](PointerRuntime& runtime) {
    return WaitForChildren(runtime, Creator(runtime));
  });
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
  if (lwt::IsLightweightThread()) (void)lwt::Yield();
  return 0;
}

int ompc_in_final(void) {
  const OmpTask* const task = taskrt::CurrentTask();
  return task != nullptr && task->is_final ? 1 : 0;
}

int ompc_group_begin(void) { return taskrt::DoOnBegun("taskgroup", BeginGroup); }
int ompc_group_end(void) { return taskrt::DoOnBegun("taskgroup", EndGroup); }

long ompc_loop_tasks(long count, long grainsize, long num_tasks) {
  if (count <= 0) return 0;
  if (grainsize > 0) return std::max(1L, count / grainsize);
  const PointerRuntime* const runtime = taskrt::BegunRuntime();
  const long few = runtime == nullptr ? 8 : 8L * runtime->workers();
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
    absl::Status status;
    for (const PointerMap* const map : MapsOf(map_count, maps)) status.Update(runtime.Enter(*map));
    return status;
  });
}
int ompc_data_end(int map_count, void* const* maps, int deletes) {
  return taskrt::DoOnBegun("target data", [&](PointerRuntime& runtime) {
    absl::Status status;
    for (const PointerMap* const map : MapsOf(map_count, maps)) {
      status.Update(runtime.Leave(*map, deletes != 0));
    }
    return status;
  });
}
int ompc_data_update(int map_count, void* const* maps) {
  return taskrt::DoOnBegun("target update", [&](PointerRuntime& runtime) {
    absl::Status status;
    for (const PointerMap* const map : MapsOf(map_count, maps)) {
      status.Update(map->to_host ? runtime.UpdateHost(*map) : runtime.UpdateDevice(*map));
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
