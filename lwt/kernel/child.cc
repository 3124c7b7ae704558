#include "lwt/kernel/child.h"

namespace lwt {

StackPointer* EndChildSlowly(Descriptor& child, Descriptor& parent, std::uint64_t parent_turns) {
  // Perhaps on another worker than before: a policy may have moved it in the queues.
  Scheduler& scheduler = *Scheduler::Current();
  if (child.is_known || !scheduler.ready().queue().PopIf(parent.item)) Switcher::End(child);
  if (parent.turns != parent_turns) PutBackAndEnd(parent, child, scheduler);
  return ReturnTo(parent, ++parent.turns, child, scheduler);
}

void PutBackAndEnd(Descriptor& parent, Descriptor& child, Scheduler& scheduler) {
  scheduler.ready().queue().Push(EntryOf(parent));
  Switcher::End(child);
}

}  // namespace lwt
