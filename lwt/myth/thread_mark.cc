#include "lwt/myth/thread_mark.h"

namespace lwt::c {

[[gnu::noinline]] std::uintptr_t MarkOfOsThread() {
  thread_local std::uintptr_t mark = 0;
  if (mark == 0) mark = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) & ~7ul;
  return mark;
}

}  // namespace lwt::c
