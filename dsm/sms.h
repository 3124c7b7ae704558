/* The paper's C interface: global data of all processes in one address space.
 *
 *   sms_startup(&argc, &argv);
 *   int* array = sms_alloc(sizeof(int) * N, 0);
 *   if (sms_pid == 0) { ... array[i] = i; ... }
 *   sms_barrier();
 *   sms_shutdown();
 *
 * All processes call the functions that allocate and the barriers in the same order, one
 * thread of each. What cannot be done ends the process with a sentence on standard error
 * and exit code 2 (bad arguments), 75 (a process is gone): there is nothing to check.
 *
 * Started by llclrun, mpiexec, mpirun or srun. Options come from the environment:
 *
 *   SMS_PAGE_BYTES   a page; a multiple of the system's (4096)
 *   SMS_BYTES        of address space (64 GiB)
 *   SMS_ENGINE       userfaultfd or segv
 *   SMS_MEMORY       the memory configuration file (dsm/sms/memory_config.h): bounds of what pages
 *                    at home and copies of others' take
 *
 * Source: [Mid18] sections 2.1, 2.6, 2.7 and figure 2(a). The paper names the functions and
 * not their parameters, but for sms_alloc; the others' are ours.
 */
#ifndef DSM_SMS_H_
#define DSM_SMS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This process, and how many there are. */
extern int sms_pid;
extern int sms_nprocs;

void sms_startup(int* argc, char*** argv);
/* Ends with a barrier of all; the global data are gone then. */
void sms_shutdown(void);

/* So many bytes, zeros, whose home is process `node`. */
void* sms_alloc(size_t bytes, int node);

/* An array of `dims` dimensions, in C's order, cut along each into `divisions[d]` blocks,
 * which are dealt to the processes first, ..., first + count - 1. */
void* sms_mapalloc(int dims, const size_t* extents, size_t element_bytes, const int* divisions,
                   int first, int count);

/* Changes of cached pages go to their homes, and cached pages that others changed are dropped. */
void sms_barrier(void);
/* All wait for each other; cached pages stay as they are. */
void sms_sync(void);
/* The same, and all cached pages go: what was written to them is lost. */
void sms_sync_drop(void);

/* Fetches what is not here, before it is touched. SMS_OVERWRITE: all of it will be written, and
 * counts as written; what it was does not come (sms_overload is the same). */
enum { SMS_READ = 0, SMS_WRITE = 1, SMS_OVERWRITE = 2 };
void sms_preload(const void* at, size_t bytes, int access);
/* Of an array at `array`: elements from[d] <= index < to[d] of each dimension d. */
void sms_preload_array(const void* array, int dims, const size_t* extents, size_t element_bytes,
                       const size_t* from, const size_t* to, int access);
void sms_overload(void* at, size_t bytes);
void sms_overload_array(void* array, int dims, const size_t* extents, size_t element_bytes,
                        const size_t* from, const size_t* to);

#ifdef __cplusplus
}
#endif

#endif /* DSM_SMS_H_ */
