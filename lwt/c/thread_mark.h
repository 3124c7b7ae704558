// A thread's mark, by which the locks of C programs know which thread holds them.
#pragma once

#include <cstdint>

#include "lwt/kernel/owner.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/machine/atomic.h"
#include "lwt/machine/sanitizer.h"
#include "lwt/waiter.h"

namespace lwt::c {

// Of the calling OS thread, an address on the stack that the system gave it: always the same. Not
// inlined: after a switch the OS thread is another.
std::uintptr_t MarkOfOsThread();

// An address on the calling thread's stack, a multiple of 8: always the same, and no other thread's
// while this one lives.
inline std::uintptr_t ThreadMark() {
  if (const Scheduler* const scheduler = Scheduler::Current();
      scheduler != nullptr && scheduler->current() != nullptr) [[likely]] {
    return reinterpret_cast<std::uintptr_t>(scheduler->current()->stack) - sizeof(void*);
  }
  return MarkOfOsThread();
}

// The threads of C programs, for BasicOwnedLock and BasicSharedLock; models have others.
struct ProgramThreads {
  using Waiter = lwt::Waiter;
  using Owner = BasicOwner<Atomic, PoolThreads>;
  using Sanitizer = SanitizerMutex;
  static std::uintptr_t Mark() { return ThreadMark(); }
};

}  // namespace lwt::c
