#include "lwt/myth/thread_mark.h"

namespace lwt::c {

[[gnu::noinline]] std::uintptr_t MarkOfOsThread() {
  alignas(8) thread_local char mark;
  return reinterpret_cast<std::uintptr_t>(&mark);
}

}  // namespace lwt::c
