#include "taskrt/order/submitter.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "taskrt/dispatch/user_code.h"
#include "taskrt/order/describe.h"

namespace taskrt {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void DieOfPlace(const Task& task, Place place) {
  lwt::DieOfBrokenContract(
      absl::StrCat("a scheduler chooses a place that can run the task, not place ", place, " for ",
                   Describe(task)),
      __FILE__, __LINE__);
}

}  // namespace

void CheckSizes(std::span<const Access> accesses, std::span<const std::byte> scalars) {
  lwt::CheckContract(accesses.size() <= Task::kMostAccesses, "a task has at most eight accesses");
  lwt::CheckContract(scalars.size() <= Task::kMostScalarBytes, "scalars have at most 64 bytes");
}

void AddAccesses(Task& task, std::span<const Access> accesses) {
  for (const Access& access : accesses) {
    Block& block = BlockTable::Of(access.handle);
    for (const TaskAccess& other : task.accesses()) {
      lwt::CheckContract(other.block != &block, "a task accesses a block once");
    }
    task.Add({&block, access.mode}, block.host);
  }
}

[[gnu::always_inline]] inline Task& Submitter::NewOne(const Submission& submission,
                                                      TaskList& ready) {
  if (!open_reductions_.empty()) {
    for (const Access& access : submission.accesses) {
      Block& block = BlockTable::Of(access.handle);
      if (access.mode != Mode::kReduction) Combine(block, submission.priority, ready);
    }
  }
  Task& task = NewTask(TaskKind::kComputes, submission.kernel, submission.scalars);
  AddAccesses(task, submission.accesses);
  task.number = ++numbers_;
  task.priority = submission.priority;
  task.ended = submission.ended;
  return task;
}

[[gnu::always_inline]] inline void Submitter::EnterOne(Task& task, TaskList& ready) {
  const Place place = PlaceFor(task);
  if (task.commutes()) UsePartials(task, place, ready);
  EnterAt(place, task, ready);
}

void Submitter::Submit(const Submission& submission, TaskList& ready) {
  EnterOne(NewOne(submission, ready), ready);
}

Task& Submitter::New(const Submission& submission, TaskList& ready) {
  return NewOne(submission, ready);
}

void Submitter::Enter(Task& task, TaskList& ready) { EnterOne(task, ready); }

Task& Submitter::New(TaskKind kind, const Access& access, TaskList& ready) {
  Combine(BlockTable::Of(access.handle), 0, ready);
  Task& task = NewTask(kind, kind == TaskKind::kWaitOn ? wait_on_ : prefetch_);
  AddAccesses(task, std::span(&access, 1));
  return task;
}

Task& Submitter::NewTask(TaskKind kind, const Kernel& kernel, std::span<const std::byte> scalars) {
  Task& task = books_.tasks.New();
  task.kind = kind;
  task.Begin(kernel, scalars, ++submitted_);
  task.number = 0;
  task.priority = 0;
  task.ended = nullptr;
  task.takes_slot = task.is_placed_when_ready = task.stays_on_host = false;
  return task;
}

// From here on the task is in the order of its blocks.
void Submitter::EnterAt(Place place, Task& task, TaskList& ready) {
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
  task.place = place;
  mover_.Announce(task);
  task.is_placed_when_ready = place == kWhenReady;
  // A wait or a prefetch computes nothing, and takes no slot of a device.
  task.takes_slot = place != kHost && task.computes();
  if (task.is_placed_when_ready) {
    books_.planned.DeferPlacement(task);
  } else {
    books_.planned.CommitPlacement(task, place);
  }
}

Place Submitter::PlaceFor(const Task& task) {
  const PlaceSet places = places_.ThatCanRun(task.kernel());
  if (places.is_empty()) return kHost;
  const Place place = AskScheduler("PlaceFor", [&] { return scheduler_.PlaceFor(task, places); });
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
