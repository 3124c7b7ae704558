// The end of a thread, as the holder of its handle meets it: waited for, or given up.
//
// Threads: on workers of the thread's pool; each thread is joined or detached once (completion.h).
#pragma once

#include <exception>
#include <utility>

#include "lwt/kernel/scheduler.h"
#include "lwt/threads/descriptor.h"

namespace lwt {

// Waits until the thread has ended and frees it, without holding up the worker. Returns the
// exception that its body threw, or null. `result`: where Descriptor::result goes; null: nowhere.
std::exception_ptr JoinThread(Descriptor& thread, void** result = nullptr);

// Joins a thread that has ended and threw nothing. False: it still runs, or it threw.
[[nodiscard]] inline bool TryJoinThread(Descriptor& thread, void*& result) {
  if (!thread.completion.IsDone() || thread.error != nullptr) [[unlikely]] {
    return false;
  }
  Scheduler& scheduler = Scheduler::OfPool(*thread.pool, "Join");
  result = thread.result;
  thread.completion.Forget();
  scheduler.cache().Free(thread);
  return true;
}

// The thread is freed when it ends, or now if it has ended. An exception that it throws, or threw,
// ends the program.
void DetachThread(Descriptor& thread);

}  // namespace lwt
