// What a pthread_attr_t has in it here.
//
// Threads: as other values.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace lwt::c {

// A value.
struct ThreadAttributes {
  std::size_t stack_bytes = 0;  // 0: the workers'
  std::size_t guard_bytes = 0;
  void* stack = nullptr;  // of a thread that runs
  int detach_state = PTHREAD_CREATE_JOINABLE;
  int inherits_schedule = PTHREAD_INHERIT_SCHED;
};

}  // namespace lwt::c
