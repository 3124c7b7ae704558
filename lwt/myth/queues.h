/* Chapter 3 of the paper: hints, the steal function, run queues. From lightweight threads and steal
 * functions only, but for get_hint_* and set_hint of a given thread, and set_stealfunc. */
#ifndef LWT_MYTH_QUEUES_H_
#define LWT_MYTH_QUEUES_H_

#include <stddef.h>

#include "lwt/myth/attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * The returned thread may run already, or its descriptor be another thread's: compare
 * it and read its hint, nothing else.
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

/* A thread out of another worker's queue, chosen at random, or NULL; and into the calling worker's.
 * The thread is the caller's between them, to be imported on any worker. */
myth_thread_t myth_steal(void);
void myth_import(myth_thread_t th);
#define myth_ext_steal() myth_steal()
#define myth_ext_import(th) myth_import(th)

/* MassiveThreads' log and profile are off as it is built, and so they are here: these do nothing.
 * lwt's own are PoolOptions::trace_events, for C++ programs. */
void myth_log_start(void);
void myth_log_pause(void);
void myth_log_flush(void);
void myth_log_reset(void);
void myth_sched_prof_start(void);
void myth_sched_prof_pause(void);
void myth_log_annotate_thread(myth_thread_t th, char* name);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_QUEUES_H_ */
