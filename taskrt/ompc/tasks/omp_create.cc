#include "taskrt/ompc/tasks/omp_create.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include "lwt/spawn.h"

namespace taskrt {
namespace {

// So many tasks wait in a worker's queue; further ones run in their creator's place, as long as its
// stack is not used for too many.
constexpr int kMostQueued = 64;
constexpr int kMostInPlace = 16;

// A task that is a lightweight thread, with copies of its arguments behind it.
struct QueuedTask : OmpTask {
  ompc_function function = nullptr;
  void** args = nullptr;
};

constexpr std::size_t kAlignment = alignof(std::max_align_t);
constexpr std::size_t Room(std::size_t bytes) {
  return (bytes + kAlignment - 1) & ~(kAlignment - 1);
}

void DestroyQueued(OmpTask& task) {
  auto& queued = static_cast<QueuedTask&>(task);
  queued.~QueuedTask();
  std::free(&queued);
}

// Its arguments are copied if `copies`; else the creator's stay until the task has ended.
QueuedTask& MakeQueued(const ompc_task& what, OmpTask& creator, bool copies) {
  const std::size_t count = copies ? static_cast<std::size_t>(what.args_count) : 0;
  std::size_t bytes = Room(sizeof(QueuedTask)) + Room(count * sizeof(void*));
  for (std::size_t i = 0; i < count && what.copied != nullptr; ++i) bytes += Room(what.copied[i]);
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  auto& task = *new (memory) QueuedTask;
  task.destroy = DestroyQueued;
  task.function = what.function;
  task.parent = &creator;
  task.implicit = creator.implicit;
  task.group = creator.innermost();
  task.is_final = what.is_final != 0 || creator.is_final;
  auto* at = static_cast<std::byte*>(memory) + Room(sizeof(QueuedTask));
  task.args = reinterpret_cast<void**>(at);
  at += Room(count * sizeof(void*));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t its = what.copied == nullptr ? 0 : what.copied[i];
    task.args[i] = its == 0 ? what.args[i] : std::memcpy(at, what.args[i], its);
    at += Room(its);
  }
  creator.counts.AddChild();
  if (task.group != nullptr) task.group->AddTask();
  return task;
}

// `task`; or, of a task that runs in its creator's place, the task of its own memory that its
// children count in.
OmpTask& Lasting(OmpTask& task) {
  if (!task.is_in_place) return task;
  if (task.kept != nullptr) return *task.kept;
  OmpTask& kept = MakeQueued({}, Lasting(*task.parent), false);
  kept.is_final = task.is_final;
  kept.depth_in_place = task.depth_in_place;
  task.kept = &kept;
  return kept;
}

void RunInPlace(ompc_function function, void* const* args, TaskType type, OmpTask& creator) {
  OmpTask task;
  task.is_in_place = true;
  task.parent = &creator;
  task.implicit = creator.implicit;
  task.group = creator.innermost();
  task.is_final = type == TaskType::kFinal || creator.is_final;
  task.depth_in_place = creator.depth_in_place + 1;
  SetCurrentTask(&task);
  function(const_cast<void**>(args));
  if (task.kept != nullptr) EndTask(*task.kept);
}

void Run(QueuedTask& task) {
  SetCurrentTask(&task);
  task.function(task.args);
  EndTask(task);
  SetCurrentTask(nullptr);
}

// Queues a task where the calling flow is; false: it is no member's, or enough tasks wait there.
bool Queue(const ompc_task& what, OmpTask& creator) {
  lwt::Guest* const guest = OwnGuest();
  if (guest == nullptr && !lwt::IsLightweightThread()) return false;
  const lwt::Worker& worker = guest == nullptr ? lwt::Worker::Here() : guest->worker();
  if (worker.queued() >= kMostQueued && creator.depth_in_place < kMostInPlace) return false;
  QueuedTask& task = MakeQueued(what, Lasting(creator), true);
  static constexpr lwt::SpawnOptions kOptions = {.name = "task"};
  const auto run = [&task] { Run(task); };
  try {
    guest == nullptr ? lwt::Post(run, kOptions) : guest->Post(run, kOptions);
  } catch (const std::bad_alloc&) {  // There is no memory for a stack.
    const KeepsTask keeps;
    Run(task);
  }
  return true;
}

// The dependencies of a task that another creates order it among that one's children, and do no
// more: what the creator may read is home, and its children's targets bring home what they change.
struct Dependencies {
  std::vector<Handle> in, out;
};
Dependencies DependenciesOf(PointerRuntime& runtime, OmpTask& creator, const ompc_task& what) {
  std::map<void*, bool> writes;
  for (void* const in : Span(what.in_count, what.in_data)) writes.try_emplace(in, false);
  for (void* const out : Span(what.out_count, what.out_data)) writes[out] = true;
  Dependencies all;
  std::map<std::uintptr_t, Handle>& orders = creator.its().order;
  for (const auto& [pointer, is_written] : writes) {
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    auto order = orders.find(at);
    if (order == orders.end()) order = orders.emplace(at, runtime.TakeOrder()).first;
    (is_written ? all.out : all.in).push_back(order->second);
  }
  return all;
}

}  // namespace

OmpTask& KeptTask() { return Lasting(ThisTask()); }

void CreateTask(const ompc_task& what, OmpTask& creator) {
  if (what.is_undeferred == 0 && Defers(creator) && Queue(what, creator)) return;
  const KeepsTask keeps;
  RunInPlace(what.function, what.args, TypeOf(what.is_final), creator);
}

void RunTask(ompc_function function, void* const* args, TaskType type) {
  const KeepsTask keeps;
  OmpTask& creator = ThisTask(keeps.task());
  RefuseRecording(creator);
  RunInPlace(function, args, type, creator);
}

absl::Status CreateOnHost(PointerRuntime& runtime, const ompc_task& what, const Creator& creator) {
  OmpTask& parent = creator.task();
  // Tasks that come before have ended: all are undeferred, and none waits for an event.
  const bool has_events = parent.extras != nullptr && parent.extras->has_events;
  if (parent.is_final && !has_events && what.event == 0) {
    RunInPlace(what.function, what.args, TypeOf(what.is_final), parent);
    return absl::OkStatus();
  }
  const PointerRuntime::Code& code = runtime.OnHost(what.name, what.function);
  PointerTask task;
  task.args = Span(what.args_count, what.args);
  task.copied = Span(what.args_count, what.copied);
  task.priority = what.priority;
  // It has no maps: so it makes no difference which blocks the tasks above it use.
  static const auto& kSomeTask = *new Caller{.is_program = false, .uses = {}};
  task.created_by = creator.running() == nullptr ? nullptr : &kSomeTask;
  const std::shared_ptr<OmpChild> child = OmpChild::Make(&parent);
  child->is_final = what.is_final != 0 || parent.is_final;
  if (what.event != 0) {
    child->event = reinterpret_cast<TaskEvent*>(what.event)->self;
    parent.its().has_events = true;
  }
  task.call = &child->call;
  task.ended = &child->ended;
  Dependencies dependencies;
  if (creator.running() != nullptr) {
    dependencies = DependenciesOf(runtime, parent, what);
    task.order_in = dependencies.in;
    task.order_out = dependencies.out;
  } else {
    task.in = Span(what.in_count, what.in_data);
    task.out = Span(what.out_count, what.out_data);
  }
  if (absl::Status created = runtime.Submit(code, task); !created.ok()) return created;
  creator.Keep(child);
  if (what.is_undeferred == 0 && !parent.is_final) return absl::OkStatus();
  lwt::Event& awaited = child->event == nullptr ? child->ended : child->event->body_ended;
  WaitBy([&] { awaited.Wait("an undeferred task"); });
  return absl::OkStatus();
}

}  // namespace taskrt
