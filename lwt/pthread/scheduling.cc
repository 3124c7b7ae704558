// Policies, priorities, processors, processor time and names of threads.
//
// An OS thread is asked by the system. A lightweight thread has SCHED_OTHER, may run on all
// processors of its process, and has no clock of its own.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lwt/pthread/attributes.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/live_threads.h"
#include "lwt/pthread/system.h"
#include "lwt/pthread/thread_id.h"

namespace {

using lwt::c::LiveThreads;
using lwt::c::ProgramThread;
using lwt::c::ThreadOf;

bool IsOsThread(pthread_t id) { return ThreadOf(id) == nullptr; }
bool IsOwn(pthread_t id) { return id == lwt::c::IdOfOsThread(); }

int ErrnoUnless(bool worked) { return worked ? 0 : errno; }

// 0; ESRCH: the lightweight thread has ended.
template <typename F>
int WithThread(pthread_t id, F f) {
  return LiveThreads::Get().With(*ThreadOf(id), f) ? 0 : ESRCH;
}
int IfAlive(pthread_t id, int error) {
  const int ended = WithThread(id, [](ProgramThread&) {});
  return ended != 0 ? ended : error;
}

// Of a policy and a priority that a lightweight thread is to have.
int ScheduleError(int policy, int priority) {
  if (policy != SCHED_OTHER && policy != SCHED_FIFO && policy != SCHED_RR) return EINVAL;
  if (!lwt::c::IsPriority(policy, priority)) return EINVAL;
  return policy == SCHED_OTHER ? 0 : EPERM;
}

}  // namespace

extern "C" {

int lwt_pthread_getschedparam(pthread_t id, int* policy, sched_param* parameters) noexcept {
  if (IsOsThread(id)) {
    *policy = sched_getscheduler(lwt::c::NumberOf(id));
    return ErrnoUnless(*policy >= 0 && sched_getparam(lwt::c::NumberOf(id), parameters) == 0);
  }
  *policy = SCHED_OTHER;
  parameters->sched_priority = 0;
  return IfAlive(id, 0);
}
int lwt_pthread_setschedparam(pthread_t id, int policy, const sched_param* parameters) noexcept {
  if (IsOsThread(id)) {
    return ErrnoUnless(sched_setscheduler(lwt::c::NumberOf(id), policy, parameters) == 0);
  }
  return IfAlive(id, ScheduleError(policy, parameters->sched_priority));
}
int lwt_pthread_setschedprio(pthread_t id, int priority) noexcept {
  if (IsOsThread(id)) {
    const sched_param parameters = {priority};
    return ErrnoUnless(sched_setparam(lwt::c::NumberOf(id), &parameters) == 0);
  }
  return IfAlive(id, ScheduleError(SCHED_OTHER, priority));
}

int lwt_pthread_getaffinity_np(pthread_t id, size_t bytes, cpu_set_t* processors) noexcept {
  if (!IsOsThread(id)) {
    if (const int error = IfAlive(id, 0); error != 0) return error;
  }
  const pid_t number = IsOsThread(id) ? lwt::c::NumberOf(id) : getpid();
  return ErrnoUnless(sched_getaffinity(number, bytes, processors) == 0);
}
int lwt_pthread_setaffinity_np(pthread_t id, size_t bytes, const cpu_set_t* processors) noexcept {
  if (!IsOsThread(id)) return IfAlive(id, ENOTSUP);
  return ErrnoUnless(sched_setaffinity(lwt::c::NumberOf(id), bytes, processors) == 0);
}
int lwt_pthread_attr_getaffinity_np(const pthread_attr_t*, size_t bytes,
                                    cpu_set_t* processors) noexcept {
  return ErrnoUnless(sched_getaffinity(getpid(), bytes, processors) == 0);
}
int lwt_pthread_attr_setaffinity_np(pthread_attr_t*, size_t bytes, const cpu_set_t*) noexcept {
  return bytes == 0 ? 0 : ENOTSUP;
}

int lwt_pthread_getcpuclockid(pthread_t id, clockid_t* clock) noexcept {
  if (!IsOsThread(id)) return IfAlive(id, ENOENT);
  if (!IsOwn(id)) return ENOENT;
  return pthread_getcpuclockid(pthread_self(), clock);
}

int lwt_pthread_setname_np(pthread_t id, const char* name) noexcept {
  if (std::strlen(name) >= sizeof ProgramThread::name) return ERANGE;
  if (IsOsThread(id)) return IsOwn(id) ? pthread_setname_np(pthread_self(), name) : ENOTSUP;
  return WithThread(id, [&](ProgramThread& thread) { std::strcpy(thread.name, name); });
}
int lwt_pthread_getname_np(pthread_t id, char* name, size_t bytes) noexcept {
  if (bytes < sizeof ProgramThread::name) return ERANGE;
  if (IsOsThread(id)) return IsOwn(id) ? pthread_getname_np(pthread_self(), name, bytes) : ENOTSUP;
  return WithThread(id, [&](ProgramThread& thread) { std::strcpy(name, thread.name); });
}

}  // extern "C"
