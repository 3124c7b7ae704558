#include "lwt/pthread/attributes.h"

#include <limits.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "lwt/c/placed.h"
#include "lwt/c/workers.h"
#include "lwt/myth/attributes.h"
#include "lwt/options.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/system.h"
#include "lwt/pthread/thread_id.h"

namespace {

using lwt::c::ThreadAttributes;

ThreadAttributes& In(pthread_attr_t* attr) { return lwt::c::In<ThreadAttributes>(attr); }
const ThreadAttributes& In(const pthread_attr_t* attr) {
  return In(const_cast<pthread_attr_t*>(attr));
}

}  // namespace

namespace lwt::c {

void UseSystemStackDefault() {
  // Programs are written for the system's size, by default the limit of main's stack, most often
  // 8 MiB: with less, a function with a large array overflows that runs with the system's threads.
  // That are addresses; memory is used page by page. A smaller one saves page tables, 4 KiB of
  // them for a thread that waits, and is what MYTH_DEF_STKSIZE is for.
  constexpr std::size_t kLeast = kLeastStackBytes, kMost = kMostStackBytes;
  SetStackDefault({.bytes = std::clamp(SystemStackBytes(), kLeast, kMost),
                   .advice = "MYTH_DEF_STKSIZE=BYTES in the environment gives all threads more, "
                             "pthread_attr_setstacksize one"});
}

std::size_t DefaultProgramStackBytes() {
  UseSystemStackDefault();
  return DefaultStackBytes();
}

}  // namespace lwt::c

extern "C" {

int lwt_pthread_attr_init(pthread_attr_t* attr) noexcept {
  return lwt::c::Make<ThreadAttributes>(attr);
}
int lwt_pthread_attr_destroy(pthread_attr_t* attr) noexcept {
  return lwt::c::Destroy<ThreadAttributes>(attr);
}
int lwt_pthread_attr_getdetachstate(const pthread_attr_t* attr, int* state) noexcept {
  *state = In(attr).detach_state;
  return 0;
}
int lwt_pthread_attr_setdetachstate(pthread_attr_t* attr, int state) noexcept {
  if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED) return EINVAL;
  In(attr).detach_state = static_cast<std::int8_t>(state);
  return 0;
}
int lwt_pthread_attr_getstacksize(const pthread_attr_t* attr, std::size_t* bytes) noexcept {
  const std::size_t set = In(attr).stack_bytes;
  *bytes = set > 0 ? set : lwt::c::DefaultProgramStackBytes();
  return 0;
}
int lwt_pthread_attr_setstacksize(pthread_attr_t* attr, std::size_t bytes) noexcept {
  if (bytes < static_cast<std::size_t>(PTHREAD_STACK_MIN) || bytes > lwt::kMostStackBytes) {
    return EINVAL;
  }
  In(attr).stack_bytes = bytes;
  return 0;
}
int lwt_pthread_attr_getguardsize(const pthread_attr_t* attr, std::size_t* bytes) noexcept {
  *bytes = In(attr).guard_bytes;
  return 0;
}
int lwt_pthread_attr_setguardsize(pthread_attr_t* attr, std::size_t bytes) noexcept {
  In(attr).guard_bytes = bytes;
  return 0;
}
int lwt_pthread_attr_getstack(const pthread_attr_t* attr, void** begin,
                              std::size_t* bytes) noexcept {
  *begin = In(attr).stack;
  return lwt_pthread_attr_getstacksize(attr, bytes);
}
// The size counts. Stacks are lwt's, so the program's memory stays unused.
int lwt_pthread_attr_setstack(pthread_attr_t* attr, void* begin, std::size_t bytes) noexcept {
  if (const int error = lwt_pthread_attr_setstacksize(attr, bytes); error != 0) return error;
  In(attr).stack = begin;
  return 0;
}
// Older functions: the address is the end at which the stack begins to grow.
int lwt_pthread_attr_getstackaddr(const pthread_attr_t* attr, void** end) noexcept {
  std::size_t bytes = 0;
  (void)lwt_pthread_attr_getstacksize(attr, &bytes);
  char* const begin = static_cast<char*>(In(attr).stack);
  *end = begin == nullptr ? nullptr : begin + bytes;
  return 0;
}
int lwt_pthread_attr_setstackaddr(pthread_attr_t* attr, void* end) noexcept {
  std::size_t bytes = 0;
  (void)lwt_pthread_attr_getstacksize(attr, &bytes);
  In(attr).stack = static_cast<char*>(end) - bytes;
  return 0;
}

// All threads of all processes compete, and workers as the system made them.
int lwt_pthread_attr_getscope(const pthread_attr_t*, int* scope) noexcept {
  *scope = PTHREAD_SCOPE_SYSTEM;
  return 0;
}
int lwt_pthread_attr_setscope(pthread_attr_t*, int scope) noexcept {
  if (scope == PTHREAD_SCOPE_SYSTEM) return 0;
  return scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
}
int lwt_pthread_attr_getinheritsched(const pthread_attr_t* attr, int* inherits) noexcept {
  *inherits = In(attr).inherits_schedule;
  return 0;
}
int lwt_pthread_attr_setinheritsched(pthread_attr_t* attr, int inherits) noexcept {
  if (inherits != PTHREAD_INHERIT_SCHED && inherits != PTHREAD_EXPLICIT_SCHED) return EINVAL;
  In(attr).inherits_schedule = static_cast<std::int8_t>(inherits);
  return 0;
}
int lwt_pthread_attr_getschedpolicy(const pthread_attr_t* attr, int* policy) noexcept {
  *policy = In(attr).policy;
  return 0;
}
int lwt_pthread_attr_setschedpolicy(pthread_attr_t* attr, int policy) noexcept {
  if (policy != SCHED_OTHER && policy != SCHED_FIFO && policy != SCHED_RR) return EINVAL;
  In(attr).policy = static_cast<std::int8_t>(policy);
  return 0;
}
int lwt_pthread_attr_getschedparam(const pthread_attr_t* attr, sched_param* parameters) noexcept {
  parameters->sched_priority = In(attr).priority;
  return 0;
}
int lwt_pthread_attr_setschedparam(pthread_attr_t* attr, const sched_param* parameters) noexcept {
  if (!lwt::c::IsPriority(In(attr).policy, parameters->sched_priority)) return EINVAL;
  In(attr).priority = parameters->sched_priority;
  return 0;
}

int lwt_pthread_attr_getsigmask_np(const pthread_attr_t* attr, sigset_t* blocked) {
  *blocked = In(attr).blocked.ToSystem();
  return In(attr).has_mask ? 0 : PTHREAD_ATTR_NO_SIGMASK_NP;
}
int lwt_pthread_attr_setsigmask_np(pthread_attr_t* attr, const sigset_t* blocked) {
  In(attr).has_mask = blocked != nullptr;
  In(attr).blocked = blocked == nullptr ? lwt::c::SignalSet() : lwt::c::SignalSet::From(*blocked);
  return 0;
}

// A thread without attributes has these.
int lwt_pthread_getattr_default_np(pthread_attr_t* attr) noexcept {
  return lwt_pthread_attr_init(attr);
}
// Workers are started with one size for all.
int lwt_pthread_setattr_default_np(const pthread_attr_t*) noexcept { return ENOTSUP; }

int lwt_pthread_getattr_np(pthread_t id, pthread_attr_t* attr) noexcept {
  if (const int error = lwt_pthread_attr_init(attr); error != 0) return error;
  ThreadAttributes& attributes = In(attr);
  lwt::Descriptor* const thread = lwt::c::ThreadOf(id);
  if (thread == nullptr) {
    if (id != lwt_pthread_self()) return ENOTSUP;
    return lwt::c::OsStack(attributes.stack, attributes.stack_bytes);
  }
  myth_thread_attr_t of_thread;
  const int error = myth_getattr_np(reinterpret_cast<myth_thread_t>(thread), &of_thread);
  if (error != 0) return error;
  attributes.stack = of_thread.stackaddr;
  attributes.stack_bytes = of_thread.stacksize;
  return 0;
}

}  // extern "C"
