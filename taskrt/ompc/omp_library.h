/* OpenMP's library. A translated program includes it in <omp.h>'s place. Its types and functions
 * are those of gcc's <omp.h>, so that objects that were compiled with that one fit, too: where a
 * header of the program includes <omp.h> as well, whichever comes first is the one. Not here:
 * omp_target_associate_ptr.
 *
 * Threads: any. Errors: as OpenMP 5.1 has them, which has none for most.
 */
#ifndef TASKRT_OMPC_OMP_LIBRARY_H_
#define TASKRT_OMPC_OMP_LIBRARY_H_

#define __need_size_t
#define __need_NULL
#include <stddef.h>

#ifndef _OPENMP
#define _OPENMP 201811
#endif

/* gcc's and clang's guards. */
#if !defined(_OMP_H) && !defined(__OMP_H)
#define _OMP_H 1
#define __OMP_H 1

#ifdef __cplusplus
extern "C" {
#endif

/* A task has the number of the region's thread that runs it: two tasks at a time have two numbers.
 * An explicit task may have another number after it has waited. A task with dependencies has that
 * of a thread of the runtime, below the number of threads, which a task without may have at the
 * same time. */
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int count);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
void omp_set_dynamic(int yes);
int omp_get_dynamic(void);
void omp_set_nested(int yes);
int omp_get_nested(void);
void omp_set_max_active_levels(int levels);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
int omp_get_cancellation(void);
int omp_get_max_threads(void);
int omp_get_thread_limit(void);
/* What runs at once. */
int omp_get_num_procs(void);

/* Kept for who asks; no loop is shared by threads. */
typedef enum omp_sched_t {
  omp_sched_static = 1,
  omp_sched_dynamic = 2,
  omp_sched_guided = 3,
  omp_sched_auto = 4,
  omp_sched_monotonic = 0x80000000U
} omp_sched_t;
void omp_set_schedule(omp_sched_t kind, int chunk);
void omp_get_schedule(omp_sched_t* kind, int* chunk);

/* Threads are bound to no place. */
typedef enum omp_proc_bind_t {
  omp_proc_bind_false = 0,
  omp_proc_bind_true = 1,
  omp_proc_bind_primary = 2,
  omp_proc_bind_master = 2,
  omp_proc_bind_close = 3,
  omp_proc_bind_spread = 4
} omp_proc_bind_t;
omp_proc_bind_t omp_get_proc_bind(void);
int omp_get_num_places(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int* ids);
int omp_get_place_num(void);
int omp_get_partition_num_places(void);
void omp_get_partition_place_nums(int* places);

/* The format is OMP_AFFINITY_FORMAT's; NULL or "": the one that was set. The length of all of the
 * text. */
void omp_set_affinity_format(const char* format);
size_t omp_get_affinity_format(char* buffer, size_t size);
void omp_display_affinity(const char* format); /* on standard error */
size_t omp_capture_affinity(char* buffer, size_t size, const char* format);

int omp_in_final(void);
int omp_get_max_task_priority(void);
double omp_get_wtime(void); /* seconds */
double omp_get_wtick(void);

/* Devices have numbers below this one's; it is the host's own, too. */
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_get_device_num(void);
int omp_get_default_device(void);
void omp_set_default_device(int device);
int omp_is_initial_device(void);
/* Teams run one after the other. */
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_num_teams(int count);
int omp_get_max_teams(void);
void omp_set_teams_thread_limit(int count);
int omp_get_teams_thread_limit(void);

/* Nothing is held that could be given back: 0, it is done. */
typedef enum omp_pause_resource_t { omp_pause_soft = 1, omp_pause_hard = 2 } omp_pause_resource_t;
int omp_pause_resource(omp_pause_resource_t kind, int device);
int omp_pause_resource_all(omp_pause_resource_t kind);
/* On standard error. */
void omp_display_env(int verbose);

/* A task that waits for a lock lets others run. A lock that holds 0 bytes alone is free. */
#ifndef _LIBGOMP_OMP_LOCK_DEFINED
#define _LIBGOMP_OMP_LOCK_DEFINED 1
typedef struct {
  unsigned char _x[4] __attribute__((__aligned__(4)));
} omp_lock_t;
/* A task that has it may set it again, and unsets it as often. */
typedef struct {
  unsigned char _x[8 + sizeof(void*)] __attribute__((__aligned__(sizeof(void*))));
} omp_nest_lock_t;
#endif
typedef enum omp_sync_hint_t {
  omp_sync_hint_none = 0,
  omp_lock_hint_none = 0,
  omp_sync_hint_uncontended = 1,
  omp_lock_hint_uncontended = 1,
  omp_sync_hint_contended = 2,
  omp_lock_hint_contended = 2,
  omp_sync_hint_nonspeculative = 4,
  omp_lock_hint_nonspeculative = 4,
  omp_sync_hint_speculative = 8,
  omp_lock_hint_speculative = 8
} omp_sync_hint_t;
typedef omp_sync_hint_t omp_lock_hint_t;
void omp_init_lock(omp_lock_t* lock);
void omp_init_lock_with_hint(omp_lock_t* lock, omp_sync_hint_t hint);
void omp_destroy_lock(omp_lock_t* lock);
void omp_set_lock(omp_lock_t* lock);
void omp_unset_lock(omp_lock_t* lock);
int omp_test_lock(omp_lock_t* lock);
void omp_init_nest_lock(omp_nest_lock_t* lock);
void omp_init_nest_lock_with_hint(omp_nest_lock_t* lock, omp_sync_hint_t hint);
void omp_destroy_nest_lock(omp_nest_lock_t* lock);
void omp_set_nest_lock(omp_nest_lock_t* lock);
void omp_unset_nest_lock(omp_nest_lock_t* lock);
/* How often the task has it now; 0: another has it. */
int omp_test_nest_lock(omp_nest_lock_t* lock);

/* The event of a task with detach has come: the task has ended when its body has, too. */
typedef enum omp_event_handle_t { __omp_event_handle_t_max__ = __UINTPTR_MAX__ } omp_event_handle_t;
void omp_fulfill_event(omp_event_handle_t event);

/* The object to which depobj gives a dependency. */
typedef struct __attribute__((__aligned__(sizeof(void*)))) omp_depend_t {
  char __omp_depend_t__[2 * sizeof(void*)];
} omp_depend_t;

#ifdef __cplusplus
}
#endif

#include "taskrt/ompc/omp_memory.h"

#endif /* _OMP_H */

#endif /* TASKRT_OMPC_OMP_LIBRARY_H_ */
