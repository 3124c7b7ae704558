#include "lwt/myth/locks.h"

#include <cerrno>

#include "lwt/c/moments.h"
#include "lwt/c/once.h"
#include "lwt/c/owned_lock.h"
#include "lwt/c/placed.h"
#include "lwt/c/shared_lock.h"
#include "lwt/c/spin.h"
#include "lwt/c/tried.h"

namespace {

using lwt::c::Destroy;
using lwt::c::Make;
using lwt::c::OwnedLock;
using lwt::c::SharedLock;

OwnedLock& In(myth_mutex_t* mutex) { return lwt::c::In<OwnedLock>(mutex); }
SharedLock& In(myth_rwlock_t* rwlock) { return lwt::c::In<SharedLock>(rwlock); }

OwnedLock::Kind KindOf(int type) {
  switch (type) {
    case MYTH_MUTEX_ERRORCHECK:
      return OwnedLock::kErrorcheck;
    case MYTH_MUTEX_RECURSIVE:
      return OwnedLock::kRecursive;
    default:
      return OwnedLock::kNormal;
  }
}

bool IsType(int type) { return type >= MYTH_MUTEX_NORMAL && type < MYTH_MUTEX_INVALID; }
bool IsKind(int kind) {
  return kind >= MYTH_RWLOCK_PREFER_READER && kind < MYTH_RWLOCK_PREFER_INVALID;
}

// `lock(deadline)`, unless `try_lock()` has it at once; then the time need not be valid.
template <typename TryLock, typename Lock>
int LockUntil(const timespec& time, TryLock try_lock, Lock lock) {
  if (const int result = try_lock(); result != EBUSY) return result;
  if (!lwt::c::IsTime(time)) return EINVAL;
  return lock(lwt::c::DeadlineAt(time));
}

}  // namespace

extern "C" {

int myth_mutex_init(myth_mutex_t* mutex, const myth_mutexattr_t* attr) {
  if (attr != nullptr && !IsType(attr->type)) return EINVAL;
  return Make<OwnedLock>(mutex, attr == nullptr ? OwnedLock::kNormal : KindOf(attr->type));
}
int myth_mutex_destroy(myth_mutex_t* mutex) {
  return In(mutex).IsHeld() ? EBUSY : Destroy<OwnedLock>(mutex);
}
int myth_mutex_lock(myth_mutex_t* mutex) { return In(mutex).Lock(); }
int myth_mutex_trylock(myth_mutex_t* mutex) { return lwt::c::Tried(In(mutex).TryLock()); }
int myth_mutex_timedlock(myth_mutex_t* mutex, const struct timespec* abstime) {
  return LockUntil(
      *abstime, [&] { return In(mutex).TryLock(); },
      [&](lwt::Deadline deadline) { return In(mutex).Lock(deadline); });
}
int myth_mutex_unlock(myth_mutex_t* mutex) { return In(mutex).Unlock(); }

int myth_mutexattr_init(myth_mutexattr_t* attr) {
  attr->type = MYTH_MUTEX_DEFAULT;
  return 0;
}
int myth_mutexattr_destroy(myth_mutexattr_t* /*attr*/) { return 0; }
int myth_mutexattr_gettype(const myth_mutexattr_t* attr, int* type) {
  *type = attr->type;
  return 0;
}
int myth_mutexattr_settype(myth_mutexattr_t* attr, int type) {
  if (!IsType(type)) return EINVAL;
  attr->type = type;
  return 0;
}

int myth_rwlock_init(myth_rwlock_t* rwlock, const myth_rwlockattr_t* attr) {
  const int kind = attr == nullptr ? static_cast<int>(MYTH_RWLOCK_DEFAULT) : attr->kind;
  if (!IsKind(kind)) return EINVAL;
  return Make<SharedLock>(rwlock, static_cast<SharedLock::Kind>(kind));
}
int myth_rwlock_destroy(myth_rwlock_t* rwlock) {
  return In(rwlock).IsHeld() ? EBUSY : Destroy<SharedLock>(rwlock);
}
int myth_rwlock_rdlock(myth_rwlock_t* rwlock) { return In(rwlock).LockShared(); }
int myth_rwlock_tryrdlock(myth_rwlock_t* rwlock) {
  return lwt::c::Tried(In(rwlock).TryLockShared());
}
int myth_rwlock_timedrdlock(myth_rwlock_t* rwlock, const struct timespec* abstime) {
  return LockUntil(
      *abstime, [&] { return In(rwlock).TryLockShared(); },
      [&](lwt::Deadline deadline) { return In(rwlock).LockShared(deadline); });
}
int myth_rwlock_wrlock(myth_rwlock_t* rwlock) { return In(rwlock).LockExclusive(); }
int myth_rwlock_trywrlock(myth_rwlock_t* rwlock) {
  return lwt::c::Tried(In(rwlock).TryLockExclusive());
}
int myth_rwlock_timedwrlock(myth_rwlock_t* rwlock, const struct timespec* abstime) {
  return LockUntil(
      *abstime, [&] { return In(rwlock).TryLockExclusive(); },
      [&](lwt::Deadline deadline) { return In(rwlock).LockExclusive(deadline); });
}
int myth_rwlock_unlock(myth_rwlock_t* rwlock) { return In(rwlock).Unlock(); }

int myth_rwlockattr_init(myth_rwlockattr_t* attr) {
  attr->kind = MYTH_RWLOCK_DEFAULT;
  return 0;
}
int myth_rwlockattr_destroy(myth_rwlockattr_t* /*attr*/) { return 0; }
int myth_rwlockattr_getkind(const myth_rwlockattr_t* attr, int* pref) {
  *pref = attr->kind;
  return 0;
}
int myth_rwlockattr_setkind(myth_rwlockattr_t* attr, int pref) {
  if (!IsKind(pref)) return EINVAL;
  attr->kind = pref;
  return 0;
}

int myth_spin_init(myth_spinlock_t* lock) {
  lock->locked = 0;
  return 0;
}
int myth_spin_destroy(myth_spinlock_t* /*lock*/) { return 0; }
int myth_spin_lock(myth_spinlock_t* lock) {
  lwt::c::LockSpin(lock->locked);
  return 0;
}
int myth_spin_trylock(myth_spinlock_t* lock) {
  return lwt::c::Tried(lwt::c::TryLockSpin(lock->locked) ? 0 : EBUSY) == 0 ? 1 : 0;
}
int myth_spin_unlock(myth_spinlock_t* lock) {
  lwt::c::UnlockSpin(lock->locked);
  return 0;
}

int myth_once(myth_once_t* once_control, void (*init_routine)(void)) {
  lwt::c::Once(once_control->state, init_routine);
  return 0;
}

}  // extern "C"
