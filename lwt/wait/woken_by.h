// The events that may end a thread's wait: they tell a deadlock from a long wait.
#pragma once

namespace lwt {

// The event that may resume a suspended thread. If all threads of a pool wait, each for
// something that only they can bring, that is a deadlock.
enum class WokenBy {
  kThreads,  // lightweight threads of the pool only
  kAnyone,   // OS threads outside of the pool too
  kSystem,   // a timer or I/O too: never a deadlock
};

}  // namespace lwt
