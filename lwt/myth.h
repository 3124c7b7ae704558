/* MassiveThreads' names for what the paper's programs use, over lwt.
 *
 * Threads, and all of chapter 3: thread-specific data (attr.custom_data, hints),
 * threads that are not scheduled (myth_create_nosched), the steal function, the
 * five run-queue operations. Differences to MassiveThreads are where it is
 * broken or undefined: peek is never torn and never of a queue's earlier tail;
 * nosched exists; queues grow; idle workers sleep; errors are returned.
 *
 * Any function may be called from lightweight threads; create, join, detach and
 * the queries also from other OS threads, main among them, which is not a worker.
 * The number of workers: myth_globalattr_set_n_workers, else the environment's
 * MYTH_NUM_WORKERS, else what the machine does at once. Stacks: MYTH_DEF_STKSIZE
 * bytes, else 65536.
 *
 * Source: [NNT13] chapter 3; names of MassiveThreads (master of 2024).
 */
#ifndef LWT_MYTH_H_
#define LWT_MYTH_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lwt_thread* myth_thread_t;
typedef void* (*myth_func_t)(void*);

typedef struct myth_globalattr {
  size_t n_workers; /* 0: as above */
  size_t stacksize; /* 0: as above */
} myth_globalattr_t;

typedef struct myth_thread_attr {
  int detachstate;         /* 1: nobody joins it */
  int child_first;         /* 1: the child runs at once, the parent may be stolen (default) */
  size_t custom_data_size; /* the thread's hint is a copy of these bytes */
  void* custom_data;
} myth_thread_attr_t;

/* Starting and ending. 0, or an errno value. Without myth_init the first call
 * that needs workers starts them. myth_fini only when all threads were joined. */
int myth_globalattr_init(myth_globalattr_t* attr);
int myth_globalattr_set_n_workers(myth_globalattr_t* attr, size_t n_workers);
int myth_globalattr_set_stacksize(myth_globalattr_t* attr, size_t stacksize);
int myth_init(void);
int myth_init_ex(myth_globalattr_t* attr);
void myth_fini(void);

/* NULL, or an errno value, where there is no memory. */
myth_thread_t myth_create(myth_func_t func, void* arg);
int myth_create_ex(myth_thread_t* id, myth_thread_attr_t* attr, myth_func_t func, void* arg);
/* Not scheduled: push it, pass it, or return it from a steal function; once. */
myth_thread_t myth_create_nosched(myth_func_t func, void* arg, myth_thread_attr_t* attr);
int myth_thread_attr_init(myth_thread_attr_t* attr);

void myth_exit(void* ret);
int myth_join(myth_thread_t th, void** result);
int myth_tryjoin(myth_thread_t th, void** result); /* EBUSY while it runs */
int myth_detach(myth_thread_t th);
void myth_yield(void);
myth_thread_t myth_self(void); /* NULL outside of workers */
int myth_equal(myth_thread_t t1, myth_thread_t t2);
int myth_is_myth_worker(void);
int myth_get_worker_num(void); /* -1 outside of workers */
int myth_get_num_workers(void);

/* Hints. `th` NULL: the calling thread. The pointer is to the thread's own copy;
 * who writes through it while the thread is queued makes readers see parts. */
size_t myth_wsapi_get_hint_size(myth_thread_t th);
void* myth_wsapi_get_hint_ptr(myth_thread_t th);
/* Copies *size bytes from *data; *data and *size become the old hint's, in memory
 * of the calling OS thread that lasts until its next such call. */
void myth_wsapi_set_hint(myth_thread_t th, void** data, size_t* size);

/* The steal function: worker number in, thread to run (or NULL) out. NULL brings
 * the default back. Returns the one before. */
typedef myth_thread_t (*myth_steal_func_t)(int rank);
myth_steal_func_t myth_wsapi_set_stealfunc(myth_steal_func_t fn);

/* The own run queue's head. */
void myth_wsapi_runqueue_push(myth_thread_t th);
myth_thread_t myth_wsapi_runqueue_pop(void);
/* Any worker's tail. take: only if decidefn (unless NULL) says 1; it runs with the
 * tail held. pass: always 1. peek: without a lock; copies at most *psize bytes of
 * the hint to ptr, sets *psize, and returns the thread, of which nothing but
 * equality may be used; NULL if the queue is empty. */
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
