#include "taskrt/order/submitter.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/task/describe.h"
#include "taskrt/task/user_code.h"

namespace taskrt {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void DieOfPlace(const Task& task, Place place) {
  lwt::DieOfBrokenContract(
      absl::StrCat("a scheduler chooses a place that can run the task, not place ", place, " for ",
                   Describe(task)),
      __FILE__, __LINE__);
}

[[noreturn, gnu::cold, gnu::noinline]] void DieOfAsked(const Task& task, Place place) {
  lwt::DieOfBrokenContract(
      absl::StrCat("TaskOptions::place can run the task, not place ", place, ": ", Describe(task)),
      __FILE__, __LINE__);
}

}  // namespace

Submitter::Submitted Submitter::Submit(const Submission& submission, TaskList& ready) {
  const TaskOptions& options = submission.options;
  if (has_divisions_) [[unlikely]] {
    MakeAllCurrent(submission.accesses, ready);
  }
  if (!open_reductions_.empty()) {
    for (const Access& access : submission.accesses) {
      BlockRecord& block = BlockTable::Of(access.handle);
      if (access.mode != Mode::kReduction) Combine(block, options.priority, ready);
    }
  }
  Task& task = NewTask(TaskKind::kComputes, submission.kernel, submission.scalars);
  const SubmitIndex index = task.submit_index;
  books_.blocks.AddAccesses(task, submission.accesses);
  task.number = ++numbers_;
  task.priority = options.priority;
  task.ended = options.ended;
  const Place place = PlaceFor(task, options.place);
  if (task.commutes()) UsePartials(task, place, ready);
  if (!options.after.empty()) [[unlikely]] {
    ComeAfterAll(task, options.after);
  }
  Enter(task, place, ready);
  return {books_.plan == nullptr ? &task : nullptr, index};
}

[[gnu::cold, gnu::noinline]] void Submitter::ComeAfterAll(Task& task,
                                                          std::span<const Completion> others) {
  for (const Completion& completion : others) {
    if (Task* const other = Find(completion)) task.ComeAfter(*other);
  }
}

SubmitIndex Submitter::SubmitWaitOn(const Access& access, lwt::Event& ended, TaskList& ready) {
  Task& task = NewTask(TaskKind::kWaitOn, wait_on_, access, ready);
  const SubmitIndex index = task.submit_index;
  task.ended = &ended;
  Enter(task, kHost, ready);
  return index;
}

SubmitIndex Submitter::SubmitWaitFor(Task& awaited, lwt::Event& ended, TaskList& ready) {
  Task& task = NewTask(TaskKind::kWaitOn, wait_on_);
  const SubmitIndex index = task.submit_index;
  task.ended = &ended;
  task.ComeAfter(awaited);
  Enter(task, kHost, ready);
  return index;
}

SubmitIndex Submitter::SubmitPrefetch(Handle handle, Place place, TaskList& ready) {
  Task& task = NewTask(TaskKind::kPrefetch, prefetch_, {handle, Mode::kIn}, ready);
  const SubmitIndex index = task.submit_index;
  Enter(task, place, ready);
  return index;
}

Task& Submitter::NewTask(TaskKind kind, const Kernel& kernel, const Access& access,
                         TaskList& ready) {
  MakeCurrent(BlockTable::Of(access.handle), ready);
  Combine(BlockTable::Of(access.handle), 0, ready);
  Task& task = NewTask(kind, kernel);
  books_.blocks.AddAccesses(task, std::span(&access, 1));
  return task;
}

Task& Submitter::NewTask(TaskKind kind, const Kernel& kernel, std::span<const std::byte> scalars) {
  Task& task = books_.tasks.New();
  task.kind = kind;
  task.Begin(kernel, scalars, ++submitted_);
  task.number = 0;
  task.priority = 0;
  task.ended = nullptr;
  Placement::Clear(task);
  return task;
}

// From here on the task is in the order of its blocks. It may have ended when this returns, or be
// gone: another thread may start it as soon as the tasks before it have ended.
void Submitter::Enter(Task& task, Place place, TaskList& ready) {
  if (books_.plan != nullptr) return Plan(task, place);
  books_.counts.Begin();
  const TaskRef ref(task);
  for (const TaskAccess& access : task.accesses()) {
    access.block->order.Add(
        ref, access.mode, [&](const TaskRef& other) { task.ComeAfter(*other); },
        [](const TaskRef& other) { return other->has_ended(); });
  }
  SetPlace(task, place);
  if (task.Submitted()) ready.Add(task);
}

void Submitter::SetPlace(Task& task, Place place) {
  books_.placement.Submit(task, place);
  mover_.Announce(task);
}

Place Submitter::PlaceFor(Task& task, Place asked) {
  const PlaceSet places = places_.ThatCanRun(task.kernel());
  if (asked != kAnyPlace) [[unlikely]] {
    if (!places.Has(asked)) DieOfAsked(task, asked);
    return asked;
  }
  if (places.is_empty()) return kHost;
  const Place place =
      AskScheduler("PlaceFor", [&] { return scheduler_.PlaceFor(TaskView(task), places); });
  if (place != kWhenReady && !places.Has(place)) [[unlikely]]
    DieOfPlace(task, place);
  return place;
}

// The task is gone then.
void Submitter::Plan(Task& task, Place place) {
  books_.plan->Add(task, place);
  if (places_.ThatCanRun(task.kernel()).is_empty()) {
    books_.plan->Refuse(task, places_.NoneCanRun(task.kernel()));
  }
  if (task.ended != nullptr) task.ended->Set();
  books_.tasks.Free(task);
}

}  // namespace taskrt
