#include "lwt/machine/valgrind.h"

#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>
#endif

namespace lwt {

#if defined(RUNNING_ON_VALGRIND)

bool RunsOnMemcheck() {
  char any;
  return VALGRIND_MAKE_MEM_UNDEFINED(&any, 1) != 0;  // 0 elsewhere
}

unsigned AnnounceStack(const void* lowest, const void* end) {
  return static_cast<unsigned>(VALGRIND_STACK_REGISTER(lowest, end));
}

void ForgetStack(unsigned number) { VALGRIND_STACK_DEREGISTER(number); }

void AnnounceUnused(const void* lowest, const void* end) {
  const auto bytes = static_cast<const std::byte*>(end) - static_cast<const std::byte*>(lowest);
  (void)VALGRIND_MAKE_MEM_UNDEFINED(lowest, bytes);
}

#else

bool RunsOnMemcheck() { return false; }
unsigned AnnounceStack(const void*, const void*) { return 0; }
void ForgetStack(unsigned) {}
void AnnounceUnused(const void*, const void*) {}

#endif

}  // namespace lwt
