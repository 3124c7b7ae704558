/* MassiveThreads' names for what the paper's programs use, over lwt.
 *
 * Threads, and all of chapter 3: thread-specific data (attr.custom_data, hints),
 * threads that are not scheduled (myth_create_nosched), the steal function, the
 * five run-queue operations.
 *
 * Synchronization (mutex, cond, barrier, join_counter, felock, sleep) blocks the
 * thread and not the worker, and any OS thread may take part. Its attributes are
 * NULL. There are no timed or recursive locks, rwlocks, keys or onces; all stacks
 * are of one size and from lwt, with guards of lwt's.
 *
 * Differences to MassiveThreads are where it is broken or undefined: peek is never
 * torn and never of a queue's earlier tail; nosched exists; queues grow; idle
 * workers sleep; errors are returned.
 *
 * Any function may be called from lightweight threads; create, join, detach and
 * the queries also from other OS threads, main among them, which is not a worker.
 * The number of workers: myth_globalattr_set_n_workers, else the environment's
 * MYTH_NUM_WORKERS, else as many as the machine runs at once. Stacks: MYTH_DEF_STKSIZE
 * bytes, else 65536.
 *
 * Source: [NNT13] chapter 3; names of MassiveThreads (master of 2024).
 */
#ifndef LWT_MYTH_H_
#define LWT_MYTH_H_

#include <stddef.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lwt_thread* myth_thread_t;
typedef void* (*myth_func_t)(void*);

typedef struct myth_globalattr {
  size_t stacksize; /* 0: as above */
  size_t guardsize; /* not used */
  int n_workers;    /* 0: as above */
  int bind_workers; /* 1: each to a processor of its own */
  int child_first;  /* of threads without attributes; 1 unless set */
} myth_globalattr_t;

typedef struct myth_thread_attr {
  void* stackaddr; /* not used, nor are the sizes */
  size_t stacksize;
  size_t guardsize;
  int detachstate;         /* 1: it is not joined */
  int child_first;         /* 1: the child runs at once, the parent may be stolen (default) */
  size_t custom_data_size; /* the thread's hint is a copy of these bytes */
  void* custom_data;
} myth_thread_attr_t;

/* Starting and ending. 0, or an errno value. Without myth_init the first call
 * that needs workers starts them. myth_fini waits for threads that were detached; all
 * others were joined before. */
int myth_globalattr_init(myth_globalattr_t* attr);
int myth_globalattr_set_n_workers(myth_globalattr_t* attr, size_t n_workers);
int myth_globalattr_set_stacksize(myth_globalattr_t* attr, size_t stacksize);
int myth_globalattr_set_bind_workers(myth_globalattr_t* attr, int bind_workers);
int myth_globalattr_set_child_first(myth_globalattr_t* attr, int child_first);
int myth_init(void);
int myth_init_ex(myth_globalattr_t* attr);
void myth_fini(void);

/* NULL, or an errno value, where there is no memory. */
myth_thread_t myth_create(myth_func_t func, void* arg);
int myth_create_ex(myth_thread_t* id, myth_thread_attr_t* attr, myth_func_t func, void* arg);
/* Not scheduled: push it, pass it, or return it from a steal function; once. */
myth_thread_t myth_create_nosched(myth_func_t func, void* arg, myth_thread_attr_t* attr);
int myth_thread_attr_init(myth_thread_attr_t* attr);

/* join, tryjoin, detach: ESRCH for NULL. Once a thread: a second ends the program, unless a
 * thread that was created since has the same handle. What a thread of a C++ program throws
 * comes out of the join. */
void myth_exit(void* ret);
int myth_join(myth_thread_t th, void** result);
int myth_tryjoin(myth_thread_t th, void** result); /* EBUSY while it runs */
int myth_detach(myth_thread_t th);
void myth_yield(void);
myth_thread_t myth_self(void); /* NULL outside of workers, and in a steal function */
int myth_equal(myth_thread_t t1, myth_thread_t t2);
int myth_is_myth_worker(void);
int myth_get_worker_num(void); /* -1 outside of workers */
int myth_get_num_workers(void);

/* Synchronization. 0, or an errno value. All zeros are a free mutex, and a cond
 * without waiters. Destroy, where it exists, when no thread uses the object; what
 * came before a call that wakes happens before what follows the wait. */
typedef struct myth_mutex {
  void* lwt[4];
} myth_mutex_t;
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
typedef struct myth_mutexattr myth_mutexattr_t;
typedef struct myth_condattr myth_condattr_t;
typedef struct myth_barrierattr myth_barrierattr_t;
typedef struct myth_join_counterattr myth_join_counterattr_t;
typedef struct myth_felockattr myth_felockattr_t;
/* clang-format off */
#define MYTH_MUTEX_INITIALIZER {{0}}
#define MYTH_COND_INITIALIZER {{0}}
/* clang-format on */

/* Not recursive. The thread that locked it unlocks it, else the program ends. */
int myth_mutex_init(myth_mutex_t* mutex, const myth_mutexattr_t* attr);
int myth_mutex_destroy(myth_mutex_t* mutex);
int myth_mutex_lock(myth_mutex_t* mutex);
int myth_mutex_trylock(myth_mutex_t* mutex); /* EBUSY where it is held */
int myth_mutex_unlock(myth_mutex_t* mutex);

int myth_cond_init(myth_cond_t* cond, const myth_condattr_t* attr);
int myth_cond_destroy(myth_cond_t* cond);
int myth_cond_signal(myth_cond_t* cond);
int myth_cond_broadcast(myth_cond_t* cond);
int myth_cond_wait(myth_cond_t* cond, myth_mutex_t* mutex);
/* ETIMEDOUT at abstime of CLOCK_REALTIME; EINVAL if that is no valid time. */
int myth_cond_timedwait(myth_cond_t* cond, myth_mutex_t* mutex, const struct timespec* abstime);

/* Round after round, `count` threads wait for each other: EINVAL if 0. wait gives
 * MYTH_BARRIER_SERIAL_THREAD to one of them, 0 to the others. */
#define MYTH_BARRIER_SERIAL_THREAD 1
int myth_barrier_init(myth_barrier_t* barrier, const myth_barrierattr_t* attr, unsigned int count);
int myth_barrier_destroy(myth_barrier_t* barrier);
int myth_barrier_wait(myth_barrier_t* barrier);

/* Once: wait returns after `val` decs; EINVAL if below 0. */
int myth_join_counter_init(myth_join_counter_t* jc, const myth_join_counterattr_t* attr, int val);
int myth_join_counter_wait(myth_join_counter_t* jc);
int myth_join_counter_dec(myth_join_counter_t* jc);

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

/* 0; nanosleep: EINVAL if *req is no valid time. Nothing interrupts them: *rem (or NULL)
 * becomes 0. */
unsigned int myth_sleep(unsigned int seconds);
int myth_usleep(unsigned int microseconds);
int myth_nanosleep(const struct timespec* req, struct timespec* rem);

/* Hints. `th` NULL: the calling thread. The pointer is to the thread's own copy; of
 * a write through it while the thread is queued, readers may see parts. */
size_t myth_wsapi_get_hint_size(myth_thread_t th);
void* myth_wsapi_get_hint_ptr(myth_thread_t th);
/* Copies *size bytes from *data; *data and *size become the old hint's, in memory
 * of the calling OS thread that lasts until its next such call. */
void myth_wsapi_set_hint(myth_thread_t th, void** data, size_t* size);

/* The steal function: worker number in, thread to run (or NULL) out. Setting
 * NULL restores the default. Returns the previous one. */
typedef myth_thread_t (*myth_steal_func_t)(int rank);
myth_steal_func_t myth_wsapi_set_stealfunc(myth_steal_func_t fn);

/* The head of the calling worker's run queue. */
void myth_wsapi_runqueue_push(myth_thread_t th);
myth_thread_t myth_wsapi_runqueue_pop(void);
/* Any worker's tail. take: only if decidefn (unless NULL) returns 1; it runs with the
 * tail held. pass: always 1. peek: without a lock; copies at most *psize bytes of
 * the hint to ptr, sets *psize, and returns the thread; NULL if the queue is empty.
 * That may run or be another by now, so of it only equality and its hint may be used:
 * get_hint_ptr points to memory that lives as long as the workers, where hints of
 * more than eight bytes may be read while they change (what was copied to ptr is
 * whole). */
typedef int (*myth_wsapi_decidefn_t)(myth_thread_t th, void* udata);
myth_thread_t myth_wsapi_runqueue_take(int victim, myth_wsapi_decidefn_t decidefn, void* udata);
int myth_wsapi_runqueue_pass(int target, myth_thread_t th);
myth_thread_t myth_wsapi_runqueue_peek(int victim, void* ptr, size_t* psize);

/* Random workers: any; from min to max - 1; n different ones. */
int myth_wsapi_rand(void);
int myth_wsapi_rand2(int min, int max);
void myth_wsapi_randarr(int* ret, int n);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_H_ */
