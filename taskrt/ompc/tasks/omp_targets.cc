// Tasks for devices: the part of omp_create.h that knows where a target of a task may run.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "taskrt/ompc/data_environment/data_environment.h"
#include "taskrt/ompc/pointers/begun.h"
#include "taskrt/ompc/tasks/omp_create.h"

namespace taskrt {
namespace {

// A target on blocks that its creator, or a task above, uses on the host: there the newest values
// are, and no other task may touch them. So it runs there, too, and has no maps of them. `creator`:
// null: the program.
const PointerRuntime::Code& PlaceOf(PointerRuntime& runtime, const ompc_task& what,
                                    const Caller* creator, std::vector<const PointerMap*>& maps) {
  const std::size_t used = std::erase_if(maps, [&](const PointerMap* map) {
    return creator != nullptr && DataEnvironment(runtime).IsUsedBy(*creator, *map);
  });
  const bool is_on_host = what.kernel == nullptr || (used > 0 && what.function != nullptr);
  return is_on_host ? runtime.OnHost(what.name, what.function)
                    : *static_cast<const PointerRuntime::Code*>(what.kernel);
}

absl::Status RunTarget(PointerRuntime& runtime, const PointerRuntime::Code& code,
                       const PointerTask& task) {
  const KeepsTask keeps;
  absl::Status status = runtime.SubmitAndWait(code, task);
  status.Update(DataEnvironment(runtime).ExitTarget(task.maps));
  return status;
}

// OpenMP's corresponding storage of a map's original storage, for one target. A target that a task
// creates has blocks of its own: if it shared blocks, it could depend on a task that waits for its
// creator, which is a deadlock.
struct CorrespondingStorage {
  const PointerMap* original;
  std::unique_ptr<std::byte[]> bytes;

  std::byte* host() const {
    return reinterpret_cast<std::byte*>(original->host) + original->offset;
  }
  PointerMap map() const {
    PointerMap map = *original;
    map.host = reinterpret_cast<std::uintptr_t>(bytes.get()) - original->offset;
    return map;
  }
  bool Has(std::uintptr_t pointer) const {
    const std::uintptr_t begin = original->host + original->offset;
    return pointer == original->host || (pointer >= begin && pointer - begin < original->bytes);
  }
  // The argument, if it points to the map's memory.
  void Move(void*& argument) const {
    const auto pointer = reinterpret_cast<std::uintptr_t>(argument);
    if (!Has(pointer)) return;
    argument = reinterpret_cast<void*>(pointer - original->host + map().host);
  }
};

absl::Status RunTargetOfTask(PointerRuntime& runtime, const PointerRuntime::Code& code,
                             PointerTask task) {
  std::vector<CorrespondingStorage> all;
  std::vector<PointerMap> own;
  std::vector<const PointerMap*> maps;
  for (const PointerMap* const map : task.maps) {
    if (map->if_present || map->bytes == 0 || DataEnvironment(runtime).IsPresent(*map)) {
      maps.push_back(map);
      continue;
    }
    all.push_back({map, std::make_unique<std::byte[]>(map->bytes)});
    if (map->to_device) std::memcpy(all.back().bytes.get(), all.back().host(), map->bytes);
    own.push_back(all.back().map());
  }
  // A pointer that a map names is into no other block.
  std::erase_if(maps, [&](const PointerMap* map) {
    return map->if_present &&
           std::any_of(all.begin(), all.end(),
                       [&](const CorrespondingStorage& each) { return each.Has(map->host); });
  });
  for (const PointerMap& map : own) maps.push_back(&map);
  std::vector<void*> args(task.args.begin(), task.args.end());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!task.copied.empty() && task.copied[i] > 0) continue;
    for (const CorrespondingStorage& each : all) {
      void* const before = args[i];
      each.Move(args[i]);
      if (args[i] != before) break;
    }
  }
  task.args = args;
  task.maps = maps;
  absl::Status status = RunTarget(runtime, code, task);
  for (const CorrespondingStorage& each : all) {
    if (each.original->to_host) std::memcpy(each.host(), each.bytes.get(), each.original->bytes);
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
  PointerCall call;  // with the copies
};
void RunDelayed(void** args) {
  const std::unique_ptr<Delayed> delayed(static_cast<Delayed*>(args[0]));
  PointerRuntime& runtime = *BegunRuntime();
  PointerTask task;
  const Caller caller = CallerOf(RunningTask());
  task.created_by = caller.is_program ? nullptr : &caller;
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
  delayed->call.Fill(nullptr, task);
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
  const Creator creator;
  if (its.in_count == 0 && its.out_count == 0) {
    CreateTask(its, ThisTask());
    return absl::OkStatus();
  }
  return CreateOnHost(*BegunRuntime(), its, creator);
}

}  // namespace

std::vector<const PointerMap*> MapsOf(int count, void* const* maps) {
  std::vector<const PointerMap*> all;
  for (void* const map : Span(count, maps)) {
    if (map != nullptr) all.push_back(static_cast<const PointerMap*>(map));
  }
  return all;
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
  const Caller caller = CallerOf(creator.running());
  task.created_by = caller.is_program ? nullptr : &caller;
  if (is_in_task && (depends || what.is_undeferred == 0)) return CreateDelayed(task, what);
  const PointerRuntime::Code& code = PlaceOf(runtime, what, task.created_by, maps);
  task.maps = maps;
  task.in = Span(what.in_count, what.in_data);
  task.out = Span(what.out_count, what.out_data);
  OmpTask& parent = creator.task();
  if (what.is_undeferred != 0 || parent.is_final) {
    return is_in_task ? RunTargetOfTask(runtime, code, task) : RunTarget(runtime, code, task);
  }
  const std::shared_ptr<OmpChild> child = OmpChild::Make(&parent);
  task.call = &child->call;
  task.ended = &child->ended;
  if (absl::Status created = runtime.Submit(code, task); !created.ok()) return created;
  creator.Keep(child);
  for (const PointerMap* const map : maps) parent.its().mapped.push_back(*map);
  return absl::OkStatus();
}

}  // namespace taskrt
