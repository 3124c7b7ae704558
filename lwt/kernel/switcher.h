// Which thread runs on a worker, and how the worker goes over from one stack to another: a thread
// suspends, yields or ends, and the next one, or the worker's loop, is resumed in its place.
//
// Threads: its worker.
//
// Source: [NNT13] sections 3.3 and 3.4.
#pragma once

#include <utility>

#include "lwt/kernel/activity.h"
#include "lwt/machine/stack.h"
#include "lwt/threads/descriptor.h"

namespace lwt {

class Scheduler;

// A resource of a scheduler.
class Switcher {
 public:
  explicit Switcher(Scheduler& scheduler) : scheduler_(scheduler) {}

  // The thread that runs here; null: none. For this worker.
  Descriptor* current() const { return current_.Own(); }
  // The same for reports, by any thread.
  Descriptor* current_of_other() const { return current_; }

  // The loop of a worker: runs threads until the pool stops.
  void Loop();
  // The same for a guest's worker, until Unpark; Visit comes first, on the same OS thread.
  void Visit();
  void RunUntilUnparked();
  bool RunOne();

  // Suspends the calling thread and runs `handoff.run` on whatever runs next here.
  static void Suspend(Handoff& handoff, const char* why);
  // Suspend where others than the pool's threads may make it ready: the pool counts
  // such threads.
  static void SuspendCounted(Handoff& handoff, const char* why, WokenBy by);
  // Puts the calling thread at the tail and runs the head. False: there was none.
  static bool Yield();
  // Ends the calling thread.
  [[noreturn]] static void End(Descriptor& thread);
  // What a thread does first when it is resumed, or started, with `handoff`
  // (null: by EndChild of child.h).
  static void Resumed(Descriptor& thread, Handoff* handoff);

  // `child` runs in place of `parent`, on its own stack, and back (child.h).
  void BecomeChild(Descriptor& child, Descriptor& parent) {
    if (exceptions_->any()) [[unlikely]] {
      parent.exceptions = std::exchange(*exceptions_, ExceptionGlobals());
    }
    ++child.turns;
    current_ = &child;
  }
  void BecomeParent(Descriptor& parent) {
    current_ = &parent;
    if (parent.exceptions.any()) [[unlikely]] {
      *exceptions_ = std::exchange(parent.exceptions, ExceptionGlobals());
    }
  }

  // For the simulator: the flow that runs on this worker now; the stack of its Loop; the
  // exceptions and errno of the OS thread that runs this worker.
  SanitizerFlow& running_flow() {
    return current() == nullptr || current()->stack == nullptr ? loop_flow_
                                                               : current()->stack->flow;
  }
  Stack* LoopStack();
  void GiveBackStacks();
  ExceptionGlobals& exceptions() const { return *exceptions_; }
  int& os_errno() const { return *errno_; }
  // The calling OS thread runs this worker from here on.
  void BecomeOsThreads();

 private:
  template <typename Run>
  void RunForGuest(Run run);
  void RunThreads();
  void RunFromLoop(Descriptor& thread);
  StackPointer Enter(Descriptor& thread);
  void LeaveThreads();
  void SwitchFrom(Descriptor* next, Handoff& handoff, const char* why);
  [[noreturn]] void LeaveEnded(Descriptor* next, Stack& stack);

  Relaxed<Descriptor*> current_ = nullptr;  // read by others for reports
  ExceptionGlobals* exceptions_ = nullptr;  // of the OS thread
  // Of the OS thread, likewise. Each thread finds behind a wait what it left there, on whichever OS
  // thread it goes on: the C library writes errno of the OS thread only. Behind a Spawn errno may
  // be any, as behind a call of the C library: the child has run, or the parent was stolen.
  int* errno_ = nullptr;
  StackPointer loop_sp_ = nullptr;  // of Loop, while a thread runs
  SanitizerFlow loop_flow_;         // simulated: of loop_stack_
  Stack* loop_stack_ = nullptr;     // simulated
  Scheduler& scheduler_;
};

}  // namespace lwt
