// errno of pthread programs, for the macro that lwt/pthread.h makes of <errno.h>'s.
//
// errno is that of the OS thread, which the C library writes; switcher.h carries it over where a
// thread is suspended. So its place changes where the thread goes on on another OS thread, and a
// compiler must not remember it: <errno.h> says that it may.
#include <cerrno>

#include "lwt/pthread/functions.h"

extern "C" {

int* lwt_pthread_errno(void) noexcept { return &errno; }

// The same for all OS threads.
long lwt_pthread_errno_offset(void) noexcept {
  return reinterpret_cast<char*>(&errno) - static_cast<char*>(__builtin_thread_pointer());
}

}  // extern "C"
