// Reader-writer locks of pthread programs.
#include <pthread.h>

#include <cerrno>

#include "lwt/c/moments.h"
#include "lwt/c/placed.h"
#include "lwt/c/shared_lock.h"
#include "lwt/c/tried.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/process_shared.h"

namespace {

using lwt::c::SharedLock;
static_assert(int{PTHREAD_RWLOCK_PREFER_READER_NP} == SharedLock::kPreferReader &&
              int{PTHREAD_RWLOCK_PREFER_WRITER_NP} == SharedLock::kPreferWriter &&
              int{PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP} ==
                  SharedLock::kPreferWriterNonrecursive);

SharedLock& In(pthread_rwlock_t* rwlock) { return lwt::c::In<SharedLock>(rwlock); }
// The kind, and kSharedFlag.
unsigned& WordIn(pthread_rwlockattr_t* attr) { return lwt::c::In<unsigned>(attr); }
unsigned WordIn(const pthread_rwlockattr_t* attr) {
  return WordIn(const_cast<pthread_rwlockattr_t*>(attr));
}
int KindIn(const pthread_rwlockattr_t* attr) {
  return static_cast<int>(WordIn(attr) & ~lwt::c::kSharedFlag);
}

}  // namespace

extern "C" {

int lwt_pthread_rwlock_init(pthread_rwlock_t* rwlock, const pthread_rwlockattr_t* attr) noexcept {
  const int kind = attr == nullptr ? int{PTHREAD_RWLOCK_DEFAULT_NP} : KindIn(attr);
  return lwt::c::Make<SharedLock>(rwlock, static_cast<SharedLock::Kind>(kind));
}
int lwt_pthread_rwlock_destroy(pthread_rwlock_t* rwlock) noexcept {
  return In(rwlock).IsHeld() ? EBUSY : lwt::c::Destroy<SharedLock>(rwlock);
}
int lwt_pthread_rwlock_rdlock(pthread_rwlock_t* rwlock) noexcept { return In(rwlock).LockShared(); }
int lwt_pthread_rwlock_tryrdlock(pthread_rwlock_t* rwlock) noexcept {
  return lwt::c::Tried(In(rwlock).TryLockShared());
}
int lwt_pthread_rwlock_clockrdlock(pthread_rwlock_t* rwlock, clockid_t clock,
                                   const timespec* abstime) noexcept {
  if (In(rwlock).TryLockShared() == 0) return 0;
  if (!lwt::c::IsTime(*abstime)) return EINVAL;
  return In(rwlock).LockShared(lwt::c::DeadlineAt(*abstime, clock));
}
int lwt_pthread_rwlock_timedrdlock(pthread_rwlock_t* rwlock, const timespec* abstime) noexcept {
  return lwt_pthread_rwlock_clockrdlock(rwlock, CLOCK_REALTIME, abstime);
}
int lwt_pthread_rwlock_wrlock(pthread_rwlock_t* rwlock) noexcept {
  return In(rwlock).LockExclusive();
}
int lwt_pthread_rwlock_trywrlock(pthread_rwlock_t* rwlock) noexcept {
  return lwt::c::Tried(In(rwlock).TryLockExclusive());
}
int lwt_pthread_rwlock_clockwrlock(pthread_rwlock_t* rwlock, clockid_t clock,
                                   const timespec* abstime) noexcept {
  if (In(rwlock).TryLockExclusive() == 0) return 0;
  if (!lwt::c::IsTime(*abstime)) return EINVAL;
  return In(rwlock).LockExclusive(lwt::c::DeadlineAt(*abstime, clock));
}
int lwt_pthread_rwlock_timedwrlock(pthread_rwlock_t* rwlock, const timespec* abstime) noexcept {
  return lwt_pthread_rwlock_clockwrlock(rwlock, CLOCK_REALTIME, abstime);
}
int lwt_pthread_rwlock_unlock(pthread_rwlock_t* rwlock) noexcept { return In(rwlock).Unlock(); }

int lwt_pthread_rwlockattr_init(pthread_rwlockattr_t* attr) noexcept {
  return lwt::c::Make<unsigned>(attr, unsigned{PTHREAD_RWLOCK_DEFAULT_NP});
}
int lwt_pthread_rwlockattr_destroy(pthread_rwlockattr_t*) noexcept { return 0; }
int lwt_pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t* attr, int* kind) noexcept {
  *kind = KindIn(attr);
  return 0;
}
int lwt_pthread_rwlockattr_setkind_np(pthread_rwlockattr_t* attr, int kind) noexcept {
  if (kind < PTHREAD_RWLOCK_PREFER_READER_NP ||
      kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) {
    return EINVAL;
  }
  WordIn(attr) = (WordIn(attr) & lwt::c::kSharedFlag) | static_cast<unsigned>(kind);
  return 0;
}
int lwt_pthread_rwlockattr_getpshared(const pthread_rwlockattr_t* attr, int* shared) noexcept {
  *shared = lwt::c::SharedIn(WordIn(attr));
  return 0;
}
int lwt_pthread_rwlockattr_setpshared(pthread_rwlockattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, lwt::c::ProcessShared::kRefused);
}
int lwt_private_pthread_rwlockattr_setpshared(pthread_rwlockattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, lwt::c::ProcessShared::kPrivate);
}

}  // extern "C"
