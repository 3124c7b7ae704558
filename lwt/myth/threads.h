/* Starting, ending and joining threads. Results: 0, or an errno value. */
#ifndef LWT_MYTH_THREADS_H_
#define LWT_MYTH_THREADS_H_

#include <time.h>

#include "lwt/myth/attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void* (*myth_func_t)(void*);

/* Without myth_init the first call that needs workers starts them. myth_fini, not from a thread of
 * the workers, waits for threads that were detached; all others were joined before. */
int myth_init(void);
int myth_init_ex(myth_globalattr_t* attr);
void myth_fini(void);

/* NULL, or an errno value, where there is no memory. */
myth_thread_t myth_create(myth_func_t func, void* arg);
int myth_create_ex(myth_thread_t* id, myth_thread_attr_t* attr, myth_func_t func, void* arg);
/* Not scheduled: push it, pass it, or return it from a steal function; once. */
myth_thread_t myth_create_nosched(myth_func_t func, void* arg, myth_thread_attr_t* attr);

/* Ends the calling thread, not main: C++ destructors and cleanup handlers run, then destructors of
 * keys. */
void myth_exit(void* ret);
/* join, tryjoin, timedjoin, detach: ESRCH for NULL. Once a thread: a second ends the program,
 * unless a thread that was created since has the same handle. What a thread of a C++ program throws
 * comes out of the join. */
int myth_join(myth_thread_t th, void** result);
int myth_tryjoin(myth_thread_t th, void** result); /* EBUSY while it runs */
/* ETIMEDOUT at abstime of CLOCK_REALTIME, where MassiveThreads has EBUSY; EINVAL if that is no
 * valid time. The thread may be joined later. */
int myth_timedjoin(myth_thread_t th, void** result, const struct timespec* abstime);
int myth_detach(myth_thread_t th);

myth_thread_t myth_self(void); /* NULL outside of workers, and in a steal function */
int myth_equal(myth_thread_t t1, myth_thread_t t2);
int myth_is_myth_worker(void);
int myth_get_worker_num(void); /* -1 outside of workers */
int myth_get_num_workers(void);
int myth_getconcurrency(void); /* the number of workers */

/* Lets another thread run first, where one is found. Outside of workers yield is the system's. */
enum {
  myth_yield_option_half_half = 0, /* local_first or steal_first, at random */
  myth_yield_option_local_only = 1,
  myth_yield_option_local_first = 2, /* of this worker's queue, else of another's, at random */
  myth_yield_option_steal_only = 3,
  myth_yield_option_steal_first = 4
};
void myth_yield(void); /* local_only */
void myth_yield_ex(int yield_opt);
int myth_sched_yield(void);

/* 0; nanosleep: EINVAL if *req is no valid time. Nothing but a cancellation interrupts them: *rem
 * (or NULL) becomes 0. */
unsigned int myth_sleep(unsigned int seconds);
int myth_usleep(unsigned int microseconds);
int myth_nanosleep(const struct timespec* req, struct timespec* rem);

/* A thread that was cancelled ends as by myth_exit(MYTH_CANCELED), at the next of its cancellation
 * points: testcancel, cond_wait, cond_timedwait, sleep, usleep, nanosleep, join, timedjoin, and the
 * functions of io.h. One that waits for a condition or for a moment is woken for that; one that
 * waits for something else, the end of a thread or I/O, goes on until that has come. cancel of a
 * thread that has ended does nothing; of one that was joined it is an error that is not found. */
#define MYTH_CANCELED ((void*)-1)
enum { MYTH_CANCEL_ENABLE = 0, MYTH_CANCEL_DISABLE = 1 };
enum { MYTH_CANCEL_DEFERRED = 0, MYTH_CANCEL_ASYNCHRONOUS = 1 };
int myth_cancel(myth_thread_t th);
int myth_setcancelstate(int state, int* oldstate); /* EINVAL: another state */
int myth_setcanceltype(int type, int* oldtype);    /* ENOTSUP: ASYNCHRONOUS */
void myth_testcancel(void);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_THREADS_H_ */
