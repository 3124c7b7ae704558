// Barriers, spin locks, once and keys of pthread programs.
#include <pthread.h>

#include <cerrno>
#include <limits>

#include "lwt/barrier.h"
#include "lwt/c/body.h"
#include "lwt/c/key_values.h"
#include "lwt/c/once.h"
#include "lwt/c/placed.h"
#include "lwt/c/spin.h"
#include "lwt/c/tried.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/process_shared.h"

namespace {

using lwt::c::ProcessShared;

unsigned& WordIn(pthread_barrierattr_t* attr) { return lwt::c::In<unsigned>(attr); }

}  // namespace

extern "C" {

int lwt_pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t*,
                             unsigned count) noexcept {
  if (count == 0 || count > std::numeric_limits<int>::max()) return EINVAL;
  return lwt::c::Make<lwt::Barrier>(barrier, static_cast<int>(count));
}
int lwt_pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  return lwt::c::Destroy<lwt::Barrier>(barrier);
}
int lwt_pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  int result = 0;
  lwt::c::In<lwt::Barrier>(barrier).ArriveAndWait([&] { result = PTHREAD_BARRIER_SERIAL_THREAD; });
  return result;
}
int lwt_pthread_barrierattr_init(pthread_barrierattr_t* attr) noexcept {
  return lwt::c::Make<unsigned>(attr, 0u);
}
int lwt_pthread_barrierattr_destroy(pthread_barrierattr_t*) noexcept { return 0; }
int lwt_pthread_barrierattr_getpshared(const pthread_barrierattr_t* attr, int* shared) noexcept {
  *shared = lwt::c::SharedIn(WordIn(const_cast<pthread_barrierattr_t*>(attr)));
  return 0;
}
int lwt_pthread_barrierattr_setpshared(pthread_barrierattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, ProcessShared::kRefused);
}
int lwt_private_pthread_barrierattr_setpshared(pthread_barrierattr_t* attr, int shared) noexcept {
  return lwt::c::SetShared(WordIn(attr), shared, ProcessShared::kPrivate);
}

int lwt_private_pthread_spin_init(pthread_spinlock_t* lock, int) noexcept {
  *lock = 0;
  return 0;
}
int lwt_pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (shared == PTHREAD_PROCESS_SHARED) return ENOTSUP;
  return lwt_private_pthread_spin_init(lock, shared);
}
int lwt_pthread_spin_destroy(pthread_spinlock_t*) noexcept { return 0; }
int lwt_pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  lwt::c::LockSpin(*lock);
  return 0;
}
int lwt_pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  return lwt::c::Tried(lwt::c::TryLockSpin(*lock) ? 0 : EBUSY);
}
int lwt_pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  lwt::c::UnlockSpin(*lock);
  return 0;
}

int lwt_pthread_once(pthread_once_t* once, void (*routine)()) {
  lwt::c::Once(*once, routine);
  return 0;
}

int lwt_pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  int made = 0;
  const int error = lwt::c::CreateKey(made, destructor, lwt::c::NullValues::kUnset);
  if (error == 0) *key = static_cast<pthread_key_t>(made);
  return error;
}
int lwt_pthread_key_delete(pthread_key_t key) noexcept {
  return lwt::c::DeleteKey(static_cast<int>(key));
}
void* lwt_pthread_getspecific(pthread_key_t key) noexcept {
  const lwt::c::KeyValues* const values = lwt::c::CurrentKeyValues();
  return values == nullptr ? nullptr : values->Get(static_cast<int>(key));
}
int lwt_pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  lwt::c::KeyValues* const values = lwt::c::CurrentKeyValues();
  return values == nullptr ? ENOTSUP : values->Set(static_cast<int>(key), value);
}

}  // extern "C"
