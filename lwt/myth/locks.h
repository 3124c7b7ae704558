/* Mutexes, reader-writer locks, spin locks, and what is done once. Results: 0, or an errno value.
 *
 * Destroy when no thread uses the object (EBUSY while one holds it). What came before an unlock
 * happens before what follows the next lock. Times are of CLOCK_REALTIME: ETIMEDOUT at abstime,
 * EINVAL if that is no valid time and the lock is held. */
#ifndef LWT_MYTH_LOCKS_H_
#define LWT_MYTH_LOCKS_H_

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MYTH_MUTEX_NORMAL = 0,
  MYTH_MUTEX_ERRORCHECK = 1,
  MYTH_MUTEX_RECURSIVE = 2,
  MYTH_MUTEX_INVALID = 3, /* no kind from here on */
  MYTH_MUTEX_DEFAULT = MYTH_MUTEX_NORMAL
};
typedef struct myth_mutexattr {
  int type;
} myth_mutexattr_t;
/* All zeros are a free one, of MYTH_MUTEX_NORMAL. */
typedef struct myth_mutex {
  void* lwt[5];
} myth_mutex_t;

/* Of a reader and a writer that wait, which goes first; READER unless set. */
enum {
  MYTH_RWLOCK_PREFER_READER,
  MYTH_RWLOCK_PREFER_WRITER, /* as READER, so that a reader may read again inside */
  MYTH_RWLOCK_PREFER_WRITER_NONRECURSIVE,
  MYTH_RWLOCK_PREFER_INVALID,
  MYTH_RWLOCK_DEFAULT = MYTH_RWLOCK_PREFER_READER
};
typedef struct myth_rwlockattr {
  int kind;
} myth_rwlockattr_t;
typedef struct myth_rwlock {
  void* lwt[7];
} myth_rwlock_t;

typedef struct myth_spinlock {
  volatile int locked;
} myth_spinlock_t;

enum { myth_once_state_init = 0, myth_once_state_in_progress = 1, myth_once_state_completed = 2 };
typedef struct myth_once {
  volatile int state;
} myth_once_t;

/* clang-format off */
#define MYTH_MUTEX_INITIALIZER {{0}}
#define MYTH_RWLOCK_INITIALIZER {{0}}
#define MYTH_SPINLOCK_INITIALIZER {0}
#define MYTH_ONCE_INIT {0}
/* clang-format on */

/* A mutex of NORMAL that its holder locks again, and that nobody holds and is unlocked, ends
 * the program with a sentence; so do lightweight threads that wait for each other's mutexes.
 * ERRORCHECK: EDEADLK and EPERM. RECURSIVE: it is free after as many unlocks; EPERM. */
int myth_mutex_init(myth_mutex_t* mutex, const myth_mutexattr_t* attr);
int myth_mutex_destroy(myth_mutex_t* mutex);
int myth_mutex_lock(myth_mutex_t* mutex);
int myth_mutex_trylock(myth_mutex_t* mutex); /* EBUSY where it is held */
int myth_mutex_timedlock(myth_mutex_t* mutex, const struct timespec* abstime);
int myth_mutex_unlock(myth_mutex_t* mutex);
int myth_mutexattr_init(myth_mutexattr_t* attr);
int myth_mutexattr_destroy(myth_mutexattr_t* attr);
int myth_mutexattr_gettype(const myth_mutexattr_t* attr, int* type);
int myth_mutexattr_settype(myth_mutexattr_t* attr, int type);

/* EDEADLK for the writer that locks it again; unlock: EPERM where another holds it, or nobody. */
int myth_rwlock_init(myth_rwlock_t* rwlock, const myth_rwlockattr_t* attr);
int myth_rwlock_destroy(myth_rwlock_t* rwlock);
int myth_rwlock_rdlock(myth_rwlock_t* rwlock);
int myth_rwlock_tryrdlock(myth_rwlock_t* rwlock); /* EBUSY */
int myth_rwlock_timedrdlock(myth_rwlock_t* rwlock, const struct timespec* abstime);
int myth_rwlock_wrlock(myth_rwlock_t* rwlock);
int myth_rwlock_trywrlock(myth_rwlock_t* rwlock); /* EBUSY */
int myth_rwlock_timedwrlock(myth_rwlock_t* rwlock, const struct timespec* abstime);
int myth_rwlock_unlock(myth_rwlock_t* rwlock);
int myth_rwlockattr_init(myth_rwlockattr_t* attr);
int myth_rwlockattr_destroy(myth_rwlockattr_t* attr);
int myth_rwlockattr_getkind(const myth_rwlockattr_t* attr, int* pref);
int myth_rwlockattr_setkind(myth_rwlockattr_t* attr, int pref);

/* For a few instructions. A thread that waits lets others of its worker run meanwhile. trylock: 1
 * if it was free, else 0, as MassiveThreads has it. */
int myth_spin_init(myth_spinlock_t* lock);
int myth_spin_destroy(myth_spinlock_t* lock);
int myth_spin_lock(myth_spinlock_t* lock);
int myth_spin_trylock(myth_spinlock_t* lock);
int myth_spin_unlock(myth_spinlock_t* lock);

/* The first call calls init_routine, the others wait for its end. If that ends its thread,
 * or is left by an exception, the next call is the first again. */
int myth_once(myth_once_t* once_control, void (*init_routine)(void));

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_LOCKS_H_ */
