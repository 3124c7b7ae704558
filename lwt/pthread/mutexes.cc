// Mutexes of pthread programs.
#include <pthread.h>

#include <cerrno>

#include "lwt/myth/moments.h"
#include "lwt/myth/owned_lock.h"
#include "lwt/myth/placed.h"
#include "lwt/myth/tried.h"
#include "lwt/pthread/functions.h"

namespace {

using lwt::c::OwnedLock;
static_assert(int{PTHREAD_MUTEX_NORMAL} == OwnedLock::kNormal &&
              int{PTHREAD_MUTEX_RECURSIVE} == OwnedLock::kRecursive &&
              int{PTHREAD_MUTEX_ERRORCHECK} == OwnedLock::kErrorcheck &&
              int{PTHREAD_MUTEX_ADAPTIVE_NP} == OwnedLock::kAdaptive);

OwnedLock& In(pthread_mutex_t* mutex) { return lwt::c::In<OwnedLock>(mutex); }

int& TypeIn(pthread_mutexattr_t* attr) { return lwt::c::In<int>(attr); }
int TypeIn(const pthread_mutexattr_t* attr) {
  return TypeIn(const_cast<pthread_mutexattr_t*>(attr));
}

bool IsType(int type) { return type >= PTHREAD_MUTEX_NORMAL && type <= PTHREAD_MUTEX_ADAPTIVE_NP; }

}  // namespace

extern "C" {

int lwt_pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attr) noexcept {
  const int type = attr == nullptr ? int{PTHREAD_MUTEX_DEFAULT} : TypeIn(attr);
  // What pthread_mutexattr_setrobust_np, the system's own, adds to it.
  if (!IsType(type)) return ENOTSUP;
  return lwt::c::Make<OwnedLock>(mutex, static_cast<OwnedLock::Kind>(type));
}
int lwt_pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  return In(mutex).IsHeld() ? EBUSY : lwt::c::Destroy<OwnedLock>(mutex);
}
int lwt_pthread_mutex_lock(pthread_mutex_t* mutex) noexcept { return In(mutex).Lock(); }
int lwt_pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return lwt::c::Tried(In(mutex).TryLock());
}
int lwt_pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                const timespec* abstime) noexcept {
  if (In(mutex).TryLock() == 0) return 0;
  if (!lwt::c::IsTime(*abstime)) return EINVAL;
  return In(mutex).Lock(lwt::c::DeadlineAt(*abstime, clock));
}
int lwt_pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* abstime) noexcept {
  return lwt_pthread_mutex_clocklock(mutex, CLOCK_REALTIME, abstime);
}
int lwt_pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept { return In(mutex).Unlock(); }

int lwt_pthread_mutexattr_init(pthread_mutexattr_t* attr) noexcept {
  return lwt::c::Make<int>(attr, int{PTHREAD_MUTEX_DEFAULT});
}
int lwt_pthread_mutexattr_destroy(pthread_mutexattr_t*) noexcept { return 0; }
int lwt_pthread_mutexattr_gettype(const pthread_mutexattr_t* attr, int* type) noexcept {
  *type = TypeIn(attr);
  return 0;
}
int lwt_pthread_mutexattr_settype(pthread_mutexattr_t* attr, int type) noexcept {
  if (!IsType(type)) return EINVAL;
  TypeIn(attr) = type;
  return 0;
}
int lwt_pthread_mutexattr_getkind_np(const pthread_mutexattr_t* attr, int* type) {
  return lwt_pthread_mutexattr_gettype(attr, type);
}
int lwt_pthread_mutexattr_setkind_np(pthread_mutexattr_t* attr, int type) {
  return lwt_pthread_mutexattr_settype(attr, type);
}
int lwt_pthread_mutexattr_getpshared(const pthread_mutexattr_t*, int* shared) noexcept {
  *shared = PTHREAD_PROCESS_PRIVATE;
  return 0;
}
int lwt_pthread_mutexattr_setpshared(pthread_mutexattr_t*, int shared) noexcept {
  if (shared == PTHREAD_PROCESS_PRIVATE) return 0;
  return shared == PTHREAD_PROCESS_SHARED ? ENOTSUP : EINVAL;
}
int lwt_pthread_mutexattr_getrobust(const pthread_mutexattr_t*, int* robust) noexcept {
  *robust = PTHREAD_MUTEX_STALLED;
  return 0;
}
int lwt_pthread_mutexattr_setrobust(pthread_mutexattr_t*, int robust) noexcept {
  if (robust == PTHREAD_MUTEX_STALLED) return 0;
  return robust == PTHREAD_MUTEX_ROBUST ? ENOTSUP : EINVAL;
}
int lwt_pthread_mutexattr_getprotocol(const pthread_mutexattr_t*, int* protocol) noexcept {
  *protocol = PTHREAD_PRIO_NONE;
  return 0;
}
int lwt_pthread_mutexattr_setprotocol(pthread_mutexattr_t*, int protocol) noexcept {
  if (protocol == PTHREAD_PRIO_NONE) return 0;
  return protocol == PTHREAD_PRIO_INHERIT || protocol == PTHREAD_PRIO_PROTECT ? ENOTSUP : EINVAL;
}

}  // extern "C"
