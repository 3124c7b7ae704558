#include "taskrt/ompc/omp_create.h"

#include <atomic>
#include <cstdint>
#include <map>

namespace taskrt {
namespace {

// So many tasks without dependencies wait to run; further ones run in their creator's place, as
// long as its stack is not used for too many.
constexpr int kMostDeferred = 256;
constexpr int kMostInPlace = 16;

std::atomic<int> deferred{0};

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
  std::vector<Handle> in, out;
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

}  // namespace

OmpTask& ProgramTask() {
  static auto& program = *new OmpTask;
  return program;
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

}  // namespace taskrt
