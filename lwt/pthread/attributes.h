// The content of a pthread_attr_t.
//
// Threads: as other values.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>

#include "lwt/pthread/signal_set.h"

namespace lwt::c {

// A value of at most 56 bytes.
struct ThreadAttributes {
  std::size_t stack_bytes = 0;  // 0: the workers'
  std::size_t guard_bytes = 0;
  void* stack = nullptr;  // of a thread that runs, or as the program says
  SignalSet blocked;      // if `has_mask`; else the creator's
  int priority = 0;
  std::int8_t policy = SCHED_OTHER;
  bool has_mask = false;
  std::int8_t detach_state = PTHREAD_CREATE_JOINABLE;
  std::int8_t inherits_schedule = PTHREAD_INHERIT_SCHED;
};

// Is it a priority of the policy?
inline bool IsPriority(int policy, int priority) {
  return priority >= sched_get_priority_min(policy) && priority <= sched_get_priority_max(policy);
}

// The workers that are started next have stacks of the size that the system's threads have.
void UseSystemStackDefault();
// Of a thread that asks for nothing, also before there are workers.
std::size_t DefaultProgramStackBytes();

}  // namespace lwt::c
