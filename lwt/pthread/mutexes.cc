// Mutexes of pthread programs.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>

#include "lwt/c/moments.h"
#include "lwt/c/owned_lock.h"
#include "lwt/c/placed.h"
#include "lwt/c/tried.h"
#include "lwt/pthread/attributes.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/process_shared.h"

namespace {

using lwt::c::OwnedLock;
static_assert(int{PTHREAD_MUTEX_NORMAL} == OwnedLock::kNormal &&
              int{PTHREAD_MUTEX_RECURSIVE} == OwnedLock::kRecursive &&
              int{PTHREAD_MUTEX_ERRORCHECK} == OwnedLock::kErrorcheck &&
              int{PTHREAD_MUTEX_ADAPTIVE_NP} == OwnedLock::kAdaptive);

OwnedLock& In(pthread_mutex_t* mutex) { return lwt::c::In<OwnedLock>(mutex); }

// An attribute's word has glibc's layout, because the header binds older functions with _np to the
// system's own: the type, the priority ceiling, the protocol, kRobust and kSharedFlag.
constexpr unsigned kType = 0xFFF, kRobust = 1u << 30;
constexpr unsigned kCeilingShift = 12, kCeiling = 0xFFFu << kCeilingShift;
constexpr unsigned kProtocolShift = 28, kProtocol = 3u << kProtocolShift;

unsigned& WordIn(pthread_mutexattr_t* attr) { return lwt::c::In<unsigned>(attr); }
unsigned WordIn(const pthread_mutexattr_t* attr) {
  return WordIn(const_cast<pthread_mutexattr_t*>(attr));
}
int ProtocolIn(unsigned word) { return static_cast<int>((word & kProtocol) >> kProtocolShift); }
void Set(unsigned& word, unsigned field, unsigned bits) { word = (word & ~field) | bits; }

bool IsType(int type) { return type >= PTHREAD_MUTEX_NORMAL && type <= PTHREAD_MUTEX_ADAPTIVE_NP; }

}  // namespace

extern "C" {

int lwt_pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attr) noexcept {
  const unsigned word = attr == nullptr ? unsigned{PTHREAD_MUTEX_DEFAULT} : WordIn(attr);
  const int type = static_cast<int>(word & kType);
  // A ceiling is a real-time priority, and threads of lwt's have none. All have the same priority,
  // so a mutex that inherits priorities is an ordinary one.
  const bool is_unknown = (word & kRobust) != 0 || ProtocolIn(word) == PTHREAD_PRIO_PROTECT;
  if (is_unknown || !IsType(type)) return ENOTSUP;
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

// As of any mutex that has no ceiling, or is not robust.
int lwt_pthread_mutex_getprioceiling(const pthread_mutex_t*, int*) noexcept { return EINVAL; }
int lwt_pthread_mutex_setprioceiling(pthread_mutex_t*, int, int*) noexcept { return EINVAL; }
int lwt_pthread_mutex_consistent(pthread_mutex_t*) noexcept { return EINVAL; }

int lwt_pthread_mutexattr_init(pthread_mutexattr_t* attr) noexcept {
  return lwt::c::Make<unsigned>(attr, unsigned{PTHREAD_MUTEX_DEFAULT});
}
int lwt_pthread_mutexattr_destroy(pthread_mutexattr_t*) noexcept { return 0; }
int lwt_pthread_mutexattr_gettype(const pthread_mutexattr_t* attr, int* type) noexcept {
  *type = static_cast<int>(WordIn(attr) & kType);
  return 0;
}
int lwt_pthread_mutexattr_settype(pthread_mutexattr_t* attr, int type) noexcept {
  if (!IsType(type)) return EINVAL;
  Set(WordIn(attr), kType, static_cast<unsigned>(type));
  return 0;
}
int lwt_pthread_mutexattr_getkind_np(const pthread_mutexattr_t* attr, int* type) {
  return lwt_pthread_mutexattr_gettype(attr, type);
}
int lwt_pthread_mutexattr_setkind_np(pthread_mutexattr_t* attr, int type) {
  return lwt_pthread_mutexattr_settype(attr, type);
}
int lwt_pthread_mutexattr_getpshared(const pthread_mutexattr_t* attr, int* shared) noexcept {
  *shared = lwt::c::SharedIn(WordIn(attr));
  return 0;
}
int lwt_pthread_mutexattr_setpshared(pthread_mutexattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, lwt::c::ProcessShared::kRefused);
}
int lwt_private_pthread_mutexattr_setpshared(pthread_mutexattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, lwt::c::ProcessShared::kPrivate);
}
int lwt_pthread_mutexattr_getrobust(const pthread_mutexattr_t*, int* robust) noexcept {
  *robust = PTHREAD_MUTEX_STALLED;
  return 0;
}
int lwt_pthread_mutexattr_setrobust(pthread_mutexattr_t*, int robust) noexcept {
  if (robust == PTHREAD_MUTEX_STALLED) return 0;
  return robust == PTHREAD_MUTEX_ROBUST ? ENOTSUP : EINVAL;
}
int lwt_pthread_mutexattr_getprotocol(const pthread_mutexattr_t* attr, int* protocol) noexcept {
  *protocol = ProtocolIn(WordIn(attr));
  return 0;
}
int lwt_pthread_mutexattr_setprotocol(pthread_mutexattr_t* attr, int protocol) noexcept {
  if (protocol != PTHREAD_PRIO_NONE && protocol != PTHREAD_PRIO_INHERIT &&
      protocol != PTHREAD_PRIO_PROTECT) {
    return EINVAL;
  }
  Set(WordIn(attr), kProtocol, static_cast<unsigned>(protocol) << kProtocolShift);
  return 0;
}
int lwt_pthread_mutexattr_getprioceiling(const pthread_mutexattr_t* attr, int* ceiling) noexcept {
  const int set = static_cast<int>((WordIn(attr) & kCeiling) >> kCeilingShift);
  *ceiling = std::max(set, sched_get_priority_min(SCHED_FIFO));
  return 0;
}
int lwt_pthread_mutexattr_setprioceiling(pthread_mutexattr_t* attr, int ceiling) noexcept {
  if (!lwt::c::IsPriority(SCHED_FIFO, ceiling)) return EINVAL;
  Set(WordIn(attr), kCeiling, static_cast<unsigned>(ceiling) << kCeilingShift);
  return 0;
}

}  // extern "C"
