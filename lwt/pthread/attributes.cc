#include "lwt/pthread/attributes.h"

#include <limits.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>

#include "lwt/myth/attributes.h"
#include "lwt/myth/placed.h"
#include "lwt/myth/workers.h"
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
  In(attr).detach_state = state;
  return 0;
}
int lwt_pthread_attr_getstacksize(const pthread_attr_t* attr, std::size_t* bytes) noexcept {
  const std::size_t set = In(attr).stack_bytes;
  *bytes = set > 0 ? set : lwt::c::DefaultStackBytes();
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
// Stacks are lwt's.
int lwt_pthread_attr_setstack(pthread_attr_t*, void*, std::size_t) noexcept { return ENOTSUP; }

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
  In(attr).inherits_schedule = inherits;
  return 0;
}
int lwt_pthread_attr_getschedpolicy(const pthread_attr_t*, int* policy) noexcept {
  *policy = SCHED_OTHER;
  return 0;
}
int lwt_pthread_attr_setschedpolicy(pthread_attr_t*, int policy) noexcept {
  if (policy == SCHED_OTHER) return 0;
  return policy == SCHED_FIFO || policy == SCHED_RR ? ENOTSUP : EINVAL;
}
int lwt_pthread_attr_getschedparam(const pthread_attr_t*, sched_param* parameters) noexcept {
  parameters->sched_priority = 0;
  return 0;
}
int lwt_pthread_attr_setschedparam(pthread_attr_t*, const sched_param* parameters) noexcept {
  return parameters->sched_priority == 0 ? 0 : ENOTSUP;
}

int lwt_pthread_getattr_np(pthread_t id, pthread_attr_t* attr) noexcept {
  lwt_pthread_attr_init(attr);
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
