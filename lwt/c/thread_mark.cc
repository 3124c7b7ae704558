#include "lwt/c/thread_mark.h"

#include "lwt/machine/os_stack.h"

namespace lwt::c {

[[gnu::noinline]] std::uintptr_t MarkOfOsThread() {
  thread_local std::uintptr_t mark = 0;
  if (mark == 0) {
    const OsStack& stack = ThisOsStack();
    // Not where the caller runs: that may be a stack which goes from thread to thread.
    mark = (stack.end > 0 ? stack.end - 1 : reinterpret_cast<std::uintptr_t>(&mark)) & ~7ul;
  }
  return mark;
}

}  // namespace lwt::c
