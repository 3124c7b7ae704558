#include "taskrt/ompc/tasks/omp_task.h"

#include "taskrt/ompc/pointers/begun.h"

namespace taskrt {
namespace {

thread_local OmpTask* current = nullptr;

void WakeFor(const OmpTask& task, ChildCounts::Found found) {
  if (found.wakes) task.waiting->Wake();
}

// A task of its subtree has ended: it may be the last of those above, too.
void Release(OmpTask* task, ChildCounts::Released released) {
  while (task != nullptr) {
    const ChildCounts::Found found = task->counts.Release(released);
    WakeFor(*task, found);
    if (!found.is_empty) return;
    OmpTask* const parent = task->parent;
    task->destroy(*task);
    task = parent;
    released = ChildCounts::kDescendants;
  }
}

void WaitFor(OmpTask& task, ChildCounts::Awaited awaited, const char* why) {
  const KeepsTask keeps;
  Flow flow;
  task.waiting = &flow;
  if (task.counts.Wait(awaited)) WaitBy([&] { flow.Wait(why); });
}

// A member runs tasks of its region first.
void WaitForEvent(lwt::Event& event, const char* why) {
  const KeepsTask keeps;
  if (lwt::Guest* const guest = OwnGuest()) {
    while (!event.IsSet() && guest->RunOne()) {
    }
  }
  WaitBy([&] { event.Wait(why); });
}

}  // namespace

void WaitBy(const std::function<void()>& wait) {
  PointerRuntime* const runtime = lwt::IsLightweightThread() ? BegunRuntime() : nullptr;
  runtime == nullptr ? wait() : runtime->WaitBy(wait);
}

// Not inlined: a thread reads the variable of the OS thread that it runs in.
[[gnu::noinline]] OmpTask* CurrentTask() { return current; }
[[gnu::noinline]] void SetCurrentTask(OmpTask* task) { current = task; }

ImplicitTask& ProgramTask() {
  static ImplicitTask& program = *[] {
    auto* const task = new ImplicitTask;
    task->is_program = true;
    task->icvs = TheEnvironment().icvs;
    return task;
  }();
  return program;
}

OmpTask* RunningTask() {
  OmpTask* const task = CurrentTask();
  if (task == nullptr) return nullptr;
  const bool is_program = task->is_implicit && task->implicit->is_program;
  return is_program ? nullptr : task->kept == nullptr ? task : task->kept;
}

void ImplicitTask::Begin(const Encounter& by, int its_number, int its_size, Team* its_team,
                         int its_copies) {
  const ImplicitTask& creator = *by.member;
  copy = its_number == 0 ? by.copy : its_copies + its_number;
  first_copy = by.copy;
  copies = its_copies;
  team = its_team;
  number = its_number;
  size = its_size;
  level = creator.level + 1;
  active_level = creator.active_level + (its_size > 1 ? 1 : 0);
  outer = &creator;
  is_program = its_number == 0 && creator.is_program && !by.is_explicit;
  icvs = creator.icvs;
  team_number = creator.team_number;
  teams = creator.teams;
  is_initial = false;
  shared_loops = 0;
  loop = nullptr;
  extras.reset();
}

TaskExtras::TaskExtras() = default;
TaskExtras::~TaskExtras() = default;

Caller CallerOf(const OmpTask* running) {
  Caller caller;
  caller.is_program = running == nullptr;
  for (const OmpTask* task = running; task != nullptr; task = task->parent) {
    if (!task->is_of_runtime) continue;
    const auto& uses = static_cast<const OmpChild*>(task)->call.uses;
    caller.uses.insert(caller.uses.end(), uses.begin(), uses.end());
  }
  return caller;
}

void OmpChildren::Add(std::shared_ptr<OmpChild> child) {
  all_.push_back(std::move(child));
  if (all_.size() < looks_at_) return;
  std::erase_if(all_, [](const auto& other) { return other->ended.IsSet(); });
  looks_at_ = 2 * all_.size() + 64;
}

std::shared_ptr<OmpChild> OmpChild::Make(OmpTask* creator) {
  auto child = std::make_shared<OmpChild>();
  child->is_of_runtime = true;
  child->call.body = child.get();
  child->destroy = [](OmpTask& task) { static_cast<OmpChild&>(task).self.reset(); };
  if (creator == nullptr) return child;
  creator->counts.AddDescendant();
  child->parent = creator;
  child->implicit = creator->implicit;
  child->is_final = creator->is_final;
  child->group = creator->innermost();
  return child;
}

// A task of the runtime may be left out, or run where there is no body of ours.
OmpChild::~OmpChild() {
  if (!has_run && parent != nullptr) Release(parent, ChildCounts::kDescendants);
}

void OmpChild::Run(PointerFunction function, void** args) {
  const KeepsTask keeps;
  BeginTask(*this);
  function(args);
  EndTask(*this);
}

TaskBody& BodyOnItsOwn() {
  class Alone final : public TaskBody {
   public:
    void Run(PointerFunction function, void** args) override {
      const KeepsTask keeps;
      ImplicitTask task;
      task.icvs = TheEnvironment().icvs;
      SetCurrentTask(&task);
      function(args);
      WaitForSubtree(task);
      EndTask(task);
    }
  };
  static Alone body;
  return body;
}

void TaskGroup::Wait() {
  const KeepsTask keeps;
  while (true) {
    Flow flow;
    waiting_ = &flow;
    if (counts_.Wait(ChildCounts::kChildren)) {
      WaitBy([&] { flow.Wait("the tasks of a taskgroup"); });
    }
    std::vector<std::shared_ptr<OmpChild>> children;
    {
      const std::lock_guard lock(mutex_);
      children = children_.TakeAll();
    }
    if (children.empty()) return;
    for (const auto& child : children) WaitForEvent(child->ended, "the tasks of a taskgroup");
  }
}

void WaitForChildren(OmpTask& task) {
  WaitFor(task, ChildCounts::kChildren, "children");
  if (task.extras == nullptr) return;
  for (const auto& child : task.extras->children.TakeAll()) WaitForEvent(child->ended, "children");
}

// A task of the runtime that was left out leaves its creator's subtree when it is forgotten.
void WaitForSubtree(ImplicitTask& task) {
  constexpr const char* kWhy = "the tasks of a region";
  const KeepsTask keeps;
  while (true) {
    WaitForChildren(task);
    if (const auto left = task.TakeLeft(); !left.empty()) {
      for (const auto& child : left) WaitForEvent(child->ended, kWhy);
      continue;
    }
    Flow flow;
    task.waiting = &flow;
    if (task.BeginWait()) {
      WaitBy([&] { flow.Wait(kWhy); });
    } else if (task.counts.IsAlone()) {
      return;
    }
  }
}

// A task of its subtree has left these, which it may wait for.
void ImplicitTask::Leave(std::vector<std::shared_ptr<OmpChild>> children) {
  if (children.empty()) return;
  const std::lock_guard lock(left_mutex);
  left.Add(std::move(children));
  if (counts.Interrupt(ChildCounts::kSubtree)) waiting->Wake();
}

void BeginTask(OmpTask& task) {
  SetCurrentTask(&task);
  if (!task.is_of_runtime) return;
  auto& child = static_cast<OmpChild&>(task);
  child.self = child.shared_from_this();
}

void ForgetTasks() {
  ImplicitTask& program = ProgramTask();
  program.extras.reset();
  (void)program.TakeLeft();
}

// It counts as a child of the task that creates its own, until it has come.
TaskEvent& TaskEvent::Make(OmpTask& creator) {
  const auto event = std::make_shared<TaskEvent>();
  event->creator = &creator;
  event->group = creator.innermost();
  event->self = event;
  creator.counts.AddChild();
  if (event->group != nullptr) event->group->AddTask();
  return *event;
}

void Fulfill(TaskEvent* event) {
  const std::shared_ptr<TaskEvent> its = std::move(event->self);
  its->fulfilled.Set();
  if (its->group != nullptr) its->group->EndTask();
  Release(its->creator, ChildCounts::kBoth);
}

void EndTask(OmpTask& task) {
  if (task.is_of_runtime) {
    if (const auto event = static_cast<OmpChild&>(task).event) {
      event->body_ended.Set();
      WaitBy([&] { event->fulfilled.Wait("the event of a task"); });
    }
  }
  OmpTask* const parent = task.parent;
  TaskGroup* const group = task.group;
  if (task.extras != nullptr) {
    TaskExtras& extras = *task.extras;
    if (task.implicit != nullptr) task.implicit->Leave(extras.children.TakeAll());
    for (const auto& [pointer, order] : extras.order) BegunRuntime()->GiveOrder(order);
    extras.order.clear();
    if (group != nullptr) group->AddMapped(extras.mapped);
    extras.mapped.clear();
  }
  if (task.is_implicit) return;
  // Of a task of the runtime, others wait for the event.
  if (task.is_of_runtime) {
    static_cast<OmpChild&>(task).has_run = true;
  } else if (group != nullptr) {
    group->EndTask();
  }
  if (task.counts.IsAlone()) {
    const auto released = task.is_of_runtime ? ChildCounts::kDescendants : ChildCounts::kBoth;
    task.destroy(task);
    return Release(parent, released);
  }
  if (!task.is_of_runtime) WakeFor(*parent, parent->counts.Release(ChildCounts::kBody));
  if (!task.counts.EndBody()) return;
  task.destroy(task);
  Release(parent, ChildCounts::kDescendants);
}

}  // namespace taskrt
