/* What threads wait for other than locks. Results: 0, or an errno value. Attributes have nothing in
 * them and may be NULL. Destroy when no thread uses the object; what came before a call that wakes
 * happens before what follows the wait. */
#ifndef LWT_MYTH_SYNC_H_
#define LWT_MYTH_SYNC_H_

#include <time.h>

#include "lwt/myth/locks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myth_condattr {
  void* unused;
} myth_condattr_t;
typedef struct myth_barrierattr {
  void* unused;
} myth_barrierattr_t;
typedef struct myth_join_counterattr {
  void* unused;
} myth_join_counterattr_t;
typedef struct myth_felockattr {
  void* unused;
} myth_felockattr_t;

/* All zeros are one without waiters. */
typedef struct myth_cond {
  void* lwt[4];
} myth_cond_t;
typedef struct myth_barrier {
  void* lwt[4];
} myth_barrier_t;
typedef struct myth_join_counter {
  void* lwt[2];
} myth_join_counter_t;
typedef struct myth_felock {
  myth_mutex_t mutex;
  myth_cond_t cond[2];
  int status;
} myth_felock_t;
typedef struct myth_uncond {
  void* lwt[1];
} myth_uncond_t;
/* clang-format off */
#define MYTH_COND_INITIALIZER {{0}}
/* clang-format on */

int myth_cond_init(myth_cond_t* cond, const myth_condattr_t* attr);
int myth_cond_destroy(myth_cond_t* cond);
int myth_cond_signal(myth_cond_t* cond);
int myth_cond_broadcast(myth_cond_t* cond);
/* A thread that holds the mutex. It may be woken by a cancellation of another waiter: look again.
 */
int myth_cond_wait(myth_cond_t* cond, myth_mutex_t* mutex);
/* ETIMEDOUT at abstime of CLOCK_REALTIME; EINVAL if that is no valid time. */
int myth_cond_timedwait(myth_cond_t* cond, myth_mutex_t* mutex, const struct timespec* abstime);
int myth_condattr_init(myth_condattr_t* attr);
int myth_condattr_destroy(myth_condattr_t* attr);

/* Round after round, `count` threads wait for each other: EINVAL if 0. wait gives
 * MYTH_BARRIER_SERIAL_THREAD to one of them, 0 to the others. */
#define MYTH_BARRIER_SERIAL_THREAD 1
int myth_barrier_init(myth_barrier_t* barrier, const myth_barrierattr_t* attr, unsigned int count);
int myth_barrier_destroy(myth_barrier_t* barrier);
int myth_barrier_wait(myth_barrier_t* barrier);
int myth_barrierattr_init(myth_barrierattr_t* attr);
int myth_barrierattr_destroy(myth_barrierattr_t* attr);

/* Once: wait returns after `val` decs; EINVAL if below 0. One dec too many ends the program. */
int myth_join_counter_init(myth_join_counter_t* jc, const myth_join_counterattr_t* attr, int val);
int myth_join_counter_wait(myth_join_counter_t* jc);
int myth_join_counter_dec(myth_join_counter_t* jc);
int myth_join_counterattr_init(myth_join_counterattr_t* attr);
int myth_join_counterattr_destroy(myth_join_counterattr_t* attr);

/* A lock with a status, 0 (at first) or 1 (EINVAL if another): wait_and_lock waits
 * until it has that status and locks it; mark_and_signal, by the thread that
 * holds it, gives it that status and unlocks it. */
int myth_felock_init(myth_felock_t* fe, const myth_felockattr_t* attr);
int myth_felock_destroy(myth_felock_t* fe);
int myth_felock_lock(myth_felock_t* fe);
int myth_felock_unlock(myth_felock_t* fe);
int myth_felock_wait_and_lock(myth_felock_t* fe, int status_to_wait);
int myth_felock_mark_and_signal(myth_felock_t* fe, int status_to_signal);
int myth_felock_status(myth_felock_t* fe);
int myth_felockattr_init(myth_felockattr_t* attr);
int myth_felockattr_destroy(myth_felockattr_t* attr);

/* One thread waits, without a mutex, for a signal that comes for it: before or after it begins to
 * wait, each signal lets one wait return. So signal does not wait for the waiter, as it does in
 * MassiveThreads. A second thread that waits at the same time ends the program. */
int myth_uncond_init(myth_uncond_t* uncond);
int myth_uncond_destroy(myth_uncond_t* uncond);
int myth_uncond_wait(myth_uncond_t* uncond);
int myth_uncond_signal(myth_uncond_t* uncond);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_SYNC_H_ */
