// Condition variables of pthread programs.
#include <pthread.h>

#include <cerrno>

#include "lwt/c/cancel.h"
#include "lwt/c/moments.h"
#include "lwt/c/owned_lock.h"
#include "lwt/c/placed.h"
#include "lwt/condition_variable.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/process_shared.h"

namespace {

using lwt::c::OwnedLock;

// A value. All zeros are one of CLOCK_REALTIME without waiters.
struct Condition {
  explicit Condition(clockid_t of) : clock(of) {}
  lwt::ConditionVariable changed;
  clockid_t clock;
};
static_assert(CLOCK_REALTIME == 0);

Condition& In(pthread_cond_t* cond) { return lwt::c::In<Condition>(cond); }
OwnedLock& In(pthread_mutex_t* mutex) { return lwt::c::In<OwnedLock>(mutex); }
// The clock, and kSharedFlag.
unsigned& WordIn(pthread_condattr_t* attr) { return lwt::c::In<unsigned>(attr); }
unsigned WordIn(const pthread_condattr_t* attr) {
  return WordIn(const_cast<pthread_condattr_t*>(attr));
}
clockid_t ClockIn(const pthread_condattr_t* attr) {
  return static_cast<clockid_t>(WordIn(attr) & ~lwt::c::kSharedFlag);
}

bool IsClock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

int WaitUntil(Condition& condition, OwnedLock& mutex, clockid_t clock, const timespec& abstime) {
  if (!lwt::c::IsTime(abstime) || !IsClock(clock)) return EINVAL;
  if (mutex.RefusesUnlock()) return EPERM;
  const lwt::Deadline deadline = lwt::c::DeadlineAt(abstime, clock);
  return lwt::c::WaitForChange(condition.changed, mutex, deadline) ? 0 : ETIMEDOUT;
}

}  // namespace

extern "C" {

int lwt_pthread_cond_init(pthread_cond_t* cond, const pthread_condattr_t* attr) noexcept {
  return lwt::c::Make<Condition>(cond, attr == nullptr ? CLOCK_REALTIME : ClockIn(attr));
}
int lwt_pthread_cond_destroy(pthread_cond_t* cond) noexcept {
  return lwt::c::Destroy<Condition>(cond);
}
int lwt_pthread_cond_signal(pthread_cond_t* cond) noexcept {
  In(cond).changed.NotifyOne();
  return 0;
}
int lwt_pthread_cond_broadcast(pthread_cond_t* cond) noexcept {
  In(cond).changed.NotifyAll();
  return 0;
}
int lwt_pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  if (In(mutex).RefusesUnlock()) return EPERM;
  (void)lwt::c::WaitForChange(In(cond).changed, In(mutex), {});
  return 0;
}
int lwt_pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                               const timespec* abstime) {
  return WaitUntil(In(cond), In(mutex), In(cond).clock, *abstime);
}
int lwt_pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                               const timespec* abstime) {
  return WaitUntil(In(cond), In(mutex), clock, *abstime);
}

int lwt_pthread_condattr_init(pthread_condattr_t* attr) noexcept {
  return lwt::c::Make<unsigned>(attr, unsigned{CLOCK_REALTIME});
}
int lwt_pthread_condattr_destroy(pthread_condattr_t*) noexcept { return 0; }
int lwt_pthread_condattr_getclock(const pthread_condattr_t* attr, clockid_t* clock) noexcept {
  *clock = ClockIn(attr);
  return 0;
}
int lwt_pthread_condattr_setclock(pthread_condattr_t* attr, clockid_t clock) noexcept {
  if (!IsClock(clock)) return EINVAL;
  WordIn(attr) = (WordIn(attr) & lwt::c::kSharedFlag) | static_cast<unsigned>(clock);
  return 0;
}
int lwt_pthread_condattr_getpshared(const pthread_condattr_t* attr, int* shared) noexcept {
  *shared = lwt::c::SharedIn(WordIn(attr));
  return 0;
}
int lwt_pthread_condattr_setpshared(pthread_condattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, lwt::c::ProcessShared::kRefused);
}
int lwt_private_pthread_condattr_setpshared(pthread_condattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, lwt::c::ProcessShared::kPrivate);
}

}  // extern "C"
