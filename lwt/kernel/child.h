// A spawned child, which starts as if it were called and ends as if it returned.
//
// Threads: the worker of the child.
//
// Source: [NNT13] section 3.1 (lazy task creation).
#pragma once

#include <cstdint>

#include "lwt/kernel/scheduler.h"

namespace lwt {

// `child`, of the cache and with its body in place, starts on this worker in place
// of `parent`, which is suspended: its continuation goes to the head.
inline void StartChild(Descriptor& child, Descriptor& parent, Scheduler& scheduler) {
  child.depth = parent.depth + 1;
  child.inherited = parent.inherited;
  scheduler.switcher().BecomeChild(child, parent);
  scheduler.ready().queue().Push(EntryOf(parent));
  if (scheduler.activity().counters.spawns.Add()) [[unlikely]]
    ReadyThreads::OnPeriodOfSpawns();
  scheduler.ready().NotifyOfPush();
}

// Where a child ends that was resumed meanwhile, or whose parent was stolen or moved.
StackPointer* EndChildSlowly(Descriptor& child, Descriptor& parent, std::uint64_t parent_turns);
// The parent waits in the queue for another reason than the spawn of `child`; or it is another
// thread by now, that got the parent's descriptor.
[[noreturn]] void PutBackAndEnd(Descriptor& parent, Descriptor& child, Scheduler& scheduler);

// Goes back to `parent`, which is out of the run queue.
[[gnu::always_inline]] inline StackPointer* ReturnTo(Descriptor& parent, std::uint64_t parent_turns,
                                                     Descriptor& child, Scheduler& scheduler) {
  if (parent.turns != parent_turns) [[unlikely]] {
    PutBackAndEnd(parent, child, scheduler);
  }
  scheduler.switcher().BecomeParent(parent);
  [[maybe_unused]] Stack& stack = *child.stack;
  scheduler.cache().Lend(child);
  child.completion.FinishUnseen();
  if constexpr (kSanitizersFollowStacks) {
    // Nothing instrumented, as a return, may come after this.
    stack.flow.LeaveForEver(parent.stack->flow);
    SwitchTo(stack.left, parent.sp, nullptr);
  }
  return &parent.sp;
}

// `child`, which `scheduler` started and which has run its body, ends. If it had one turn only,
// `child_turns` when it began, it is where it began; if its parent was not stolen and has still
// `parent_turns`, those of the spawn, returns where the parent's stack pointer is: the caller goes
// on as the parent. Else never returns.
[[gnu::always_inline]] inline StackPointer* EndChild(Descriptor& child, std::uint64_t child_turns,
                                                     Descriptor& parent, std::uint64_t parent_turns,
                                                     Scheduler& scheduler) {
  if (child.turns != child_turns || !scheduler.ready().queue().TryPopIf(parent.item)) [[unlikely]] {
    return EndChildSlowly(child, parent, parent_turns);
  }
  return ReturnTo(parent, parent_turns, child, scheduler);
}

}  // namespace lwt
