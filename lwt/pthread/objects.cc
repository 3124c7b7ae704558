// Barriers, spin locks, once, keys and semaphores of pthread programs.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <limits>

#include "lwt/barrier.h"
#include "lwt/myth/cancel.h"
#include "lwt/myth/descriptors.h"
#include "lwt/myth/key_values.h"
#include "lwt/myth/moments.h"
#include "lwt/myth/once.h"
#include "lwt/myth/placed.h"
#include "lwt/myth/spin.h"
#include "lwt/myth/tried.h"
#include "lwt/pthread/functions.h"
#include "lwt/pthread/semaphore.h"

namespace {

using lwt::c::Semaphore;

Semaphore& In(sem_t* semaphore) { return lwt::c::In<Semaphore>(semaphore); }

// As semaphores' functions return it.
int Returned(int error) { return static_cast<int>(lwt::c::Returned({error == 0 ? 0 : -1, error})); }

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
int lwt_pthread_barrierattr_init(pthread_barrierattr_t*) noexcept { return 0; }
int lwt_pthread_barrierattr_destroy(pthread_barrierattr_t*) noexcept { return 0; }
int lwt_pthread_barrierattr_getpshared(const pthread_barrierattr_t*, int* shared) noexcept {
  *shared = PTHREAD_PROCESS_PRIVATE;
  return 0;
}
int lwt_pthread_barrierattr_setpshared(pthread_barrierattr_t*, int shared) noexcept {
  if (shared == PTHREAD_PROCESS_PRIVATE) return 0;
  return shared == PTHREAD_PROCESS_SHARED ? ENOTSUP : EINVAL;
}

int lwt_pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (shared == PTHREAD_PROCESS_SHARED) return ENOTSUP;
  *lock = 0;
  return 0;
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

int lwt_sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  if (shared != 0) return Returned(ENOSYS);
  if (value > Semaphore::kMost) return Returned(EINVAL);
  return lwt::c::Make<Semaphore>(semaphore, value);
}
int lwt_sem_destroy(sem_t* semaphore) noexcept { return lwt::c::Destroy<Semaphore>(semaphore); }
int lwt_sem_wait(sem_t* semaphore) {
  lwt::c::EndIfCancelled();
  return Returned(In(semaphore).Wait() ? 0 : EINTR);
}
int lwt_sem_trywait(sem_t* semaphore) noexcept {
  return Returned(lwt::c::Tried(In(semaphore).TryWait() ? 0 : EBUSY) == 0 ? 0 : EAGAIN);
}
int lwt_sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* abstime) {
  lwt::c::EndIfCancelled();
  if (In(semaphore).TryWait()) return 0;
  if (!lwt::c::IsTime(*abstime)) return Returned(EINVAL);
  return Returned(In(semaphore).Wait(lwt::c::DeadlineAt(*abstime, clock)) ? 0 : ETIMEDOUT);
}
int lwt_sem_timedwait(sem_t* semaphore, const timespec* abstime) {
  return lwt_sem_clockwait(semaphore, CLOCK_REALTIME, abstime);
}
int lwt_sem_post(sem_t* semaphore) noexcept {
  return Returned(In(semaphore).Post() ? 0 : EOVERFLOW);
}
int lwt_sem_getvalue(sem_t* semaphore, int* value) noexcept {
  *value = static_cast<int>(In(semaphore).value());
  return 0;
}

}  // extern "C"
