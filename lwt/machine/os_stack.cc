#include "lwt/machine/os_stack.h"

#include <pthread.h>

#include <cstddef>

namespace lwt {
namespace {

OsStack Find() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* address = nullptr;
  std::size_t bytes = 0;
  OsStack stack;
  if (pthread_attr_getstack(&attributes, &address, &bytes) == 0) {
    stack.begin = reinterpret_cast<std::uintptr_t>(address);
    stack.end = stack.begin + bytes;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

[[gnu::noinline]] const OsStack& ThisOsStack() {
  thread_local const OsStack stack = Find();  // The system reads a file for main's.
  return stack;
}

}  // namespace lwt
