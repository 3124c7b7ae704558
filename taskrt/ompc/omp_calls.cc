#include "taskrt/ompc/omp_calls.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "lwt/mutex.h"
#include "lwt/thread.h"
#include "taskrt/ompc/begun.h"
#include "taskrt/ompc/omp_task.h"
#include "taskrt/ompc/pointer_runtime.h"
#include "topo/mutex.h"

namespace {

using taskrt::OmpChild;
using taskrt::OmpTask;
using taskrt::PointerMap;
using taskrt::PointerRuntime;
using taskrt::PointerTask;

// So many tasks without dependencies wait to run; further ones run in their creator's place, as
// long as its stack is not used for too many.
constexpr int kMostDeferred = 256;
constexpr int kMostInPlace = 16;

// The program itself, for what is created outside of tasks.
OmpTask& Program() {
  static auto& program = *new OmpTask;
  return program;
}
std::atomic<int> deferred{0};

template <typename T>
std::span<T const> Span(int count, T const* all) {
  return {all, static_cast<std::size_t>(count < 0 || all == nullptr ? 0 : count)};
}

std::vector<const PointerMap*> MapsOf(int count, void* const* maps) {
  std::vector<const PointerMap*> all;
  for (void* const map : Span(count, maps)) {
    if (map != nullptr) all.push_back(static_cast<const PointerMap*>(map));
  }
  return all;
}

absl::Status Release(PointerRuntime& runtime, const std::vector<PointerMap>& maps) {
  std::vector<const PointerMap*> all;
  for (const PointerMap& map : maps) all.push_back(&map);
  return runtime.Release(all);
}

// Where a task of OpenMP comes from: null, and what the program itself is told apart from is a
// function of ompc.h's tasks, for whose children nobody can wait.
class Creator {
 public:
  explicit Creator(PointerRuntime& runtime)
      : running_(taskrt::CurrentTask()), is_program_(running_ == nullptr && !runtime.IsInTask()) {}

  OmpTask* running() const { return running_; }
  // Null: nobody's.
  OmpTask* task() const {
    return running_ != nullptr ? running_ : is_program_ ? &Program() : nullptr;
  }
  void Adopt(OmpChild& child) const {
    const OmpTask* const parent = task();
    if (parent == nullptr) return;
    child.task.is_final = parent->is_final;
    child.task.held = parent->held;
    child.task.group = parent->innermost();
  }
  void Keep(const std::shared_ptr<OmpChild>& child) const {
    if (child->task.group != nullptr) child->task.group->Add(child);
    OmpTask* const parent = task();
    if (parent == nullptr) return taskrt::LeaveChild(child);
    parent->children.push_back(child);
    if (parent->children.size() < parent->looks_at) return;
    std::erase_if(parent->children, [](const auto& other) { return other->ended.IsSet(); });
    parent->looks_at = 2 * parent->children.size() + 64;
  }

 private:
  OmpTask* const running_;
  const bool is_program_;
};

void RunInPlace(const PointerRuntime::Code& code, const PointerTask& task, bool is_final,
                const Creator& creator) {
  OmpChild child;
  creator.Adopt(child);
  child.task.is_final |= is_final;
  child.task.depth_in_place = creator.task() == nullptr ? 1 : creator.task()->depth_in_place + 1;
  PointerRuntime::FillCall(code.function, task, child.call);
  child.call.task = &child.task;
  child.call.Run({});
}

// The dependencies of a task that another creates order it among that one's children, and do no
// more: what the creator may read is home, and its children's targets bring home what they change.
struct Dependencies {
  std::vector<taskrt::Handle> in, out;
};
Dependencies DependenciesOf(PointerRuntime& runtime, OmpTask& creator, const ompc_task& what) {
  std::map<void*, bool> writes;
  for (void* const in : Span(what.in_count, what.in_data)) writes.try_emplace(in, false);
  for (void* const out : Span(what.out_count, what.out_data)) writes[out] = true;
  Dependencies all;
  for (const auto& [pointer, is_written] : writes) {
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    auto order = creator.order.find(at);
    if (order == creator.order.end()) order = creator.order.emplace(at, runtime.TakeOrder()).first;
    (is_written ? all.out : all.in).push_back(order->second);
  }
  return all;
}

absl::Status CreateOnHost(PointerRuntime& runtime, const ompc_task& what, const Creator& creator) {
  const PointerRuntime::Code& code = runtime.OnHost(what.name, what.function);
  PointerTask task;
  task.args = Span(what.args_count, what.args);
  task.copied = Span(what.args_count, what.copied);
  task.priority = what.priority;
  task.created_by = creator.running();
  const OmpTask* const parent = creator.task();
  const bool depends = what.in_count > 0 || what.out_count > 0;
  const bool has_room = parent == nullptr || parent->depth_in_place < kMostInPlace;
  if (parent != nullptr && parent->is_final) {
    RunInPlace(code, task, true, creator);
    return absl::OkStatus();
  }
  if (!depends && (what.is_undeferred != 0 ||
                   (deferred.load(std::memory_order_relaxed) >= kMostDeferred && has_room))) {
    RunInPlace(code, task, what.is_final != 0, creator);
    return absl::OkStatus();
  }
  const auto child = std::make_shared<OmpChild>();
  creator.Adopt(*child);
  child->task.is_final = what.is_final != 0;
  child->call.task = &child->task;
  task.call = &child->call;
  task.ended = &child->ended;
  Dependencies dependencies;
  if (creator.running() != nullptr) {
    dependencies = DependenciesOf(runtime, *creator.running(), what);
    task.order_in = dependencies.in;
    task.order_out = dependencies.out;
  } else {
    task.in = Span(what.in_count, what.in_data);
    task.out = Span(what.out_count, what.out_data);
  }
  if (!depends) {
    deferred.fetch_add(1, std::memory_order_relaxed);
    child->task.deferred = &deferred;
  }
  if (absl::Status created = runtime.Submit(code, task); !created.ok()) return created;
  creator.Keep(child);
  if (what.is_undeferred != 0) child->ended.Wait("an undeferred task");
  return absl::OkStatus();
}

// A target on what its creator, or a task above, uses on the host: there the newest values are, and
// nobody else may touch them. So it runs there, too, and has no maps of them.
const PointerRuntime::Code& PlaceOf(PointerRuntime& runtime, const ompc_task& what,
                                    const OmpTask* creator, std::vector<const PointerMap*>& maps) {
  const std::size_t held =
      std::erase_if(maps, [&](const PointerMap* map) { return runtime.IsHeld(*map, creator); });
  const bool is_on_host = what.kernel == nullptr || (held > 0 && what.function != nullptr);
  return is_on_host ? runtime.OnHost(what.name, what.function)
                    : *static_cast<const PointerRuntime::Code*>(what.kernel);
}

absl::Status RunTarget(PointerRuntime& runtime, const PointerRuntime::Code& code,
                       const PointerTask& task) {
  absl::Status status = runtime.SubmitAndWait(code, task);
  status.Update(runtime.Release(task.maps));
  return status;
}

// Memory that stands for that of a map, for one target. A target that a task creates has blocks of
// its own: of the same blocks as others', it could come after one that waits for its creator.
struct StandIn {
  const PointerMap* of;
  std::unique_ptr<std::byte[]> bytes;

  std::byte* host() const { return reinterpret_cast<std::byte*>(of->host) + of->offset; }
  PointerMap map() const {
    PointerMap map = *of;
    map.host = reinterpret_cast<std::uintptr_t>(bytes.get()) - of->offset;
    return map;
  }
  bool Has(std::uintptr_t pointer) const {
    const std::uintptr_t begin = of->host + of->offset;
    return pointer == of->host || (pointer >= begin && pointer - begin < of->bytes);
  }
  // The argument, if it points to the map's memory.
  void Move(void*& argument) const {
    const auto pointer = reinterpret_cast<std::uintptr_t>(argument);
    if (!Has(pointer)) return;
    argument = reinterpret_cast<void*>(pointer - of->host + map().host);
  }
};

absl::Status RunTargetOfTask(PointerRuntime& runtime, const PointerRuntime::Code& code,
                             PointerTask task) {
  std::vector<StandIn> all;
  std::vector<PointerMap> own;
  std::vector<const PointerMap*> maps;
  for (const PointerMap* const map : task.maps) {
    if (map->if_present || map->bytes == 0 || runtime.IsKept(*map)) {
      maps.push_back(map);
      continue;
    }
    all.push_back({map, std::make_unique<std::byte[]>(map->bytes)});
    if (map->to_device) std::memcpy(all.back().bytes.get(), all.back().host(), map->bytes);
    own.push_back(all.back().map());
  }
  // A pointer that a map names is into no other block.
  std::erase_if(maps, [&](const PointerMap* map) {
    return map->if_present && std::any_of(all.begin(), all.end(),
                                          [&](const StandIn& each) { return each.Has(map->host); });
  });
  for (const PointerMap& map : own) maps.push_back(&map);
  std::vector<void*> args(task.args.begin(), task.args.end());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!task.copied.empty() && task.copied[i] > 0) continue;
    for (const StandIn& each : all) {
      void* const before = args[i];
      each.Move(args[i]);
      if (args[i] != before) break;
    }
  }
  task.args = args;
  task.maps = maps;
  absl::Status status = RunTarget(runtime, code, task);
  for (const StandIn& each : all) {
    if (each.of->to_host) std::memcpy(each.host(), each.bytes.get(), each.of->bytes);
  }
  return status;
}

// A task on a device that a task of OpenMP creates, and does not wait for: a task of the host,
// which has its dependencies, does.
struct Delayed {
  std::string name;
  ompc_task what;
  std::vector<void*> args;
  std::vector<std::size_t> copied;
  std::vector<const PointerMap*> maps;
  taskrt::PointerCall call;  // with the copies
};
void RunDelayed(void** args) {
  const std::unique_ptr<Delayed> delayed(static_cast<Delayed*>(args[0]));
  PointerRuntime& runtime = *taskrt::BegunRuntime();
  PointerTask task;
  task.created_by = taskrt::CurrentTask();
  const PointerRuntime::Code& code =
      PlaceOf(runtime, delayed->what, task.created_by, delayed->maps);
  task.args = delayed->args;
  task.copied = delayed->copied;
  task.maps = delayed->maps;
  task.priority = delayed->what.priority;
  // A refusal is the runtime's first error, which the next wait returns.
  (void)RunTargetOfTask(runtime, code, task);
}

absl::Status CreateDelayed(const PointerTask& task, const ompc_task& what) {
  auto delayed = std::make_unique<Delayed>();
  PointerRuntime::FillCall(nullptr, task, delayed->call);
  for (const auto& argument : delayed->call.arguments) delayed->args.push_back(argument.value);
  delayed->copied.assign(task.copied.begin(), task.copied.end());
  delayed->maps.assign(task.maps.begin(), task.maps.end());
  delayed->name = what.name;
  delayed->what = what;
  delayed->what.name = delayed->name.c_str();
  void* const args[] = {delayed.release()};
  ompc_task its = {};
  its.name = what.name;
  its.function = RunDelayed;
  its.args_count = 1;
  its.args = args;
  its.in_count = what.in_count;
  its.in_data = what.in_data;
  its.out_count = what.out_count;
  its.out_data = what.out_data;
  its.priority = what.priority;
  its.is_undeferred = what.is_undeferred;
  PointerRuntime& runtime = *taskrt::BegunRuntime();
  return CreateOnHost(runtime, its, Creator(runtime));
}

absl::Status CreateOnDevice(PointerRuntime& runtime, const ompc_task& what,
                            const Creator& creator) {
  std::vector<const PointerMap*> maps = MapsOf(what.map_count, what.maps);
  const bool depends = what.in_count > 0 || what.out_count > 0;
  const bool is_in_task = creator.running() != nullptr;
  PointerTask task;
  task.args = Span(what.args_count, what.args);
  task.copied = Span(what.args_count, what.copied);
  task.maps = maps;
  task.priority = what.priority;
  task.created_by = creator.running();
  if (is_in_task && (depends || what.is_undeferred == 0)) return CreateDelayed(task, what);
  const PointerRuntime::Code& code = PlaceOf(runtime, what, creator.running(), maps);
  task.maps = maps;
  task.in = Span(what.in_count, what.in_data);
  task.out = Span(what.out_count, what.out_data);
  const OmpTask* const parent = creator.task();
  if (what.is_undeferred != 0 || (parent != nullptr && parent->is_final)) {
    return is_in_task ? RunTargetOfTask(runtime, code, task) : RunTarget(runtime, code, task);
  }
  const auto child = std::make_shared<OmpChild>();
  creator.Adopt(*child);
  task.call = &child->call;
  task.ended = &child->ended;
  if (absl::Status created = runtime.Submit(code, task); !created.ok()) return created;
  creator.Keep(child);
  if (OmpTask* const its = creator.task()) {
    for (const PointerMap* const map : maps) its->mapped.push_back(*map);
  }
  return absl::OkStatus();
}

absl::Status WaitForChildren(PointerRuntime& runtime, const Creator& creator) {
  OmpTask* const task = creator.task();
  if (task == nullptr) return runtime.WaitAll();  // Which refuses it.
  for (const auto& child : std::exchange(task->children, {})) child->ended.Wait("children");
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
std::map<std::string, std::unique_ptr<lwt::Mutex>> criticals ABSL_GUARDED_BY(criticals_mutex);
lwt::Mutex& CriticalOf(const char* name) {
  const topo::Lock lock(criticals_mutex);
  std::unique_ptr<lwt::Mutex>& mutex = criticals[name];
  if (mutex == nullptr) mutex = std::make_unique<lwt::Mutex>();
  return *mutex;
}

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
    if (ompc_has_begun() != 0) ompc_finish();
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

int ompc_critical_begin(const char* name) {
  const taskrt::KeepsTask keeps;
  CriticalOf(name).lock();
  return 0;
}
int ompc_critical_end(const char* name) {
  CriticalOf(name).unlock();
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
