/* OpenMP's library, as far as it means something where one thread runs a parallel region and tasks
 * run on threads of the runtime. A translated program includes it in <omp.h>'s place; the functions
 * fit the declarations of gcc's <omp.h> as well.
 */
#ifndef TASKRT_OMPC_OMP_LIBRARY_H_
#define TASKRT_OMPC_OMP_LIBRARY_H_

#ifndef _OPENMP
#define _OPENMP 201811
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A region itself is run by one thread, number 0 of one. A task has the number of the worker that
 * runs it, from 1 on, of all there are: two tasks at a time have two numbers. A task may have
 * another number after it has waited. */
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int count);
int omp_get_level(void);
void omp_set_dynamic(int yes);
int omp_get_dynamic(void);
void omp_set_nested(int yes);
int omp_get_nested(void);
/* More than all numbers of tasks. */
int omp_get_max_threads(void);
/* What runs at once. */
int omp_get_num_procs(void);

int omp_in_final(void);
int omp_get_max_task_priority(void);
double omp_get_wtime(void); /* seconds */
double omp_get_wtick(void);

/* Devices have numbers below this one's; it is the host's own, too. */
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_get_default_device(void);
void omp_set_default_device(int device);
int omp_is_initial_device(void);

/* A task that waits for a lock lets others run. */
typedef struct {
  int ompc_is_set;
} omp_lock_t;
void omp_init_lock(omp_lock_t* lock);
void omp_destroy_lock(omp_lock_t* lock);
void omp_set_lock(omp_lock_t* lock);
void omp_unset_lock(omp_lock_t* lock);
int omp_test_lock(omp_lock_t* lock);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_OMP_LIBRARY_H_ */
