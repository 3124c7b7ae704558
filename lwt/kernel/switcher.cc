#include "lwt/kernel/switcher.h"

#include <cxxabi.h>

#include <cerrno>
#include <new>

#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {

void Switcher::BecomeOsThreads() {
  exceptions_ = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  errno_ = &errno;
}

void Switcher::Loop() {
  Scheduler::BecomeCurrent(&scheduler_);
  BecomeOsThreads();
  if (scheduler_.simulator() == nullptr) loop_flow_.CreateForOsThread();
  RunThreads();
  Scheduler::BecomeCurrent(nullptr);
}

void Switcher::Visit() {
  LeaveThreads();
  BecomeOsThreads();
  loop_flow_.CreateForOsThread();
}

// The exceptions that the guest handles meanwhile are none of the threads', nor is its errno.
template <typename Run>
void Switcher::RunForGuest(Run run) {
  const ExceptionGlobals of_guest = std::exchange(*exceptions_, {});
  const int errno_of_guest = *errno_;
  Scheduler* const outer = Scheduler::BecomeCurrent(&scheduler_);
  run();
  Scheduler::BecomeCurrent(outer);
  *exceptions_ = of_guest;
  *errno_ = errno_of_guest;
}

void Switcher::RunUntilUnparked() {
  RunForGuest([&] { RunThreads(); });
}

bool Switcher::RunOne() {
  bool has_run = false;
  RunForGuest([&] {
    LeaveThreads();
    Descriptor* const found = scheduler_.thief().Look();
    if (found == nullptr) return;
    has_run = true;
    scheduler_.ready().Unpark();  // So that the loop comes next.
    RunFromLoop(*found);
  });
  return has_run;
}

void Switcher::RunThreads() {
  LeaveThreads();
  while (true) {
    Descriptor* next = scheduler_.ready().Next();
    if (next == nullptr) next = scheduler_.thief().Search();
    if (next == nullptr) break;
    RunFromLoop(*next);
  }
}

void Switcher::RunFromLoop(Descriptor& thread) {
  Handoff nothing;
  nothing.run = [](Handoff&) {};
  const StackPointer to = Enter(thread);
  loop_flow_.Leave(thread.stack->flow);
  auto* const handoff = static_cast<Handoff*>(SwitchTo(loop_sp_, to, &nothing));
  loop_flow_.Arrive(nullptr);
  handoff->run(*handoff);
}

StackPointer Switcher::Enter(Descriptor& thread) {
  current_ = &thread;
  ++thread.turns;
  return thread.sp;
}

// From here on no thread runs here.
void Switcher::LeaveThreads() {
  current_ = nullptr;
  scheduler_.ready().queue().HideRoom();
}

void Switcher::Resumed(Descriptor& thread, Handoff* handoff) {
  Switcher& self = Scheduler::Current()->switcher();
  thread.stack->flow.Arrive(&self.loop_flow_);
  if (thread.exceptions.any()) *self.exceptions_ = std::exchange(thread.exceptions, {});
  thread.waits_for = nullptr;
  if (handoff != nullptr) handoff->run(*handoff);
  *self.errno_ = thread.os_errno;  // Last: what the handoff does may set it.
}

// Runs `next`, or the loop, in place of the running thread.
inline void Switcher::SwitchFrom(Descriptor* next, Handoff& handoff, const char* why) {
  Descriptor& thread = *current_;
  handoff.thread = &thread;
  thread.waits_for = why;
  thread.last = &scheduler_;
  // The thread that runs next finds none.
  if (exceptions_->any()) thread.exceptions = std::exchange(*exceptions_, {});
  thread.os_errno = *errno_;
  StackPointer to = loop_sp_;
  if (next != nullptr) {
    to = Enter(*next);
    thread.stack->flow.Leave(next->stack->flow);
  } else {
    LeaveThreads();
    thread.stack->flow.Leave(loop_flow_);
  }
  void* const arrived = SwitchTo(thread.sp, to, &handoff);
  Resumed(thread, static_cast<Handoff*>(arrived));
}

void Switcher::Suspend(Handoff& handoff, const char* why) {
  Scheduler& scheduler = Scheduler::OfThread(why);
  scheduler.Spend(&CostModel::switch_ns, &SimulatedTime::threads_ns);
  scheduler.switcher().SwitchFrom(scheduler.ready().Next(), handoff, why);
}

void Switcher::SuspendCounted(Handoff& handoff, const char* why, WokenBy by) {
  Scheduler::OfThread(why).activity().waits_by(by).Add(1);
  Suspend(handoff, why);
  // Maybe of another worker: only the sum of all counts.
  Scheduler::Here().activity().waits_by(by).Add(-1);
}

bool Switcher::Yield() {
  Scheduler& scheduler = Scheduler::OfThread();
  ReadyThreads& ready = scheduler.ready();
  ready.CountYield();
  if (ready.queue().SizeSeenByThief() <= 0) {
    // A thread that yields until another has done something must let that one's time pass.
    scheduler.Spend(&CostModel::look_ns, &SimulatedTime::looking_ns);
    return false;
  }
  struct Rotation : Handoff {
    ReadyThreads* ready = nullptr;
  } rotation;
  rotation.ready = &ready;
  constexpr const char* kWhy = "its turn";
  Descriptor& thread = *scheduler.current();
  thread.entry = EntryOf(thread);
  Entry next;
  if (scheduler.simulator() == nullptr && ready.queue().StartRotation(thread, next)) {
    rotation.run = [](Handoff& base) {
      ReadyThreads& ready = *static_cast<Rotation&>(base).ready;
      ready.queue().FinishRotation();  // From here on the thread may be gone.
      ready.NotifyOthers();
    };
    scheduler.switcher().SwitchFrom(&ThreadOf(next.item), rotation, kWhy);
  } else {
    rotation.run = [](Handoff& base) {
      ReadyThreads& ready = *static_cast<Rotation&>(base).ready;
      ready.queue().Put(*base.thread);
      ready.NotifyOthers();
    };
    Suspend(rotation, kWhy);
  }
  return true;
}

void Switcher::End(Descriptor& thread) {
  Scheduler& scheduler = *Scheduler::Current();
  Stack& stack = *std::exchange(thread.stack, nullptr);
  thread.is_known = false;
  const auto found = thread.completion.Finish();
  if (found.detached) {
    scheduler.shared().detached.Forget(thread);
    scheduler.cache().Free(thread);
  }
  Descriptor* const next = found.waiter != nullptr ? found.waiter : scheduler.ready().Next();
  scheduler.switcher().LeaveEnded(next, stack);
}

void Switcher::LeaveEnded(Descriptor* next, Stack& stack) {
  // The handoff lies above the stack: this function's variables are lost now.
  stack.run = [](Handoff& handoff) {
    Scheduler::Current()->cache().Free(static_cast<Stack&>(handoff));
  };
  StackPointer to = loop_sp_;
  if (next != nullptr) {
    to = Enter(*next);
    stack.flow.LeaveForEver(next->stack->flow);
  } else {
    LeaveThreads();
    stack.flow.LeaveForEver(loop_flow_);
  }
  SwitchTo(stack.left, to, static_cast<Handoff*>(&stack));
  __builtin_unreachable();
}

Stack* Switcher::LoopStack() {
  if (scheduler_.shared().stacks.Take({&loop_stack_, 1}) == 0) throw std::bad_alloc();
  loop_flow_ = loop_stack_->flow;
  return loop_stack_;
}

// With what the sanitizers know of them: the stacks go with the slabs.
void Switcher::GiveBackStacks() {
  scheduler_.cache().GiveBackStacks();
  if (loop_stack_ != nullptr) scheduler_.shared().TakeBack(*loop_stack_);
}

}  // namespace lwt
