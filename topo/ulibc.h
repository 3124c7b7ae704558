/* The C functions of the paper's figure 7, with the paper's names and meaning.
 *
 * A program written from [ULIBC14] figure 6 compiles against this header and
 * links with //topo:ulibc; it needs OpenMP only if it uses OpenMP itself.
 *
 *   Thread IDs      0, 1, ... as omp_get_thread_num() gives them.
 *   Processor IDs   the operating system's numbers.
 *   Node IDs        dense, 0 ... get_online_numa_nodes() - 1: the NUMA nodes that
 *                   have threads, in order of first use. Not the system's numbers.
 *
 * The number of threads is omp_get_max_threads() at the time of
 * set_affinity_policy (the PUs that the process may use in a program without
 * OpenMP); threads beyond it are dealt round by round.
 *
 * Environment, read once, before the first call answers:
 *   TOPO_POLICY     scatter, compact or compact+: the policy of a program that
 *                   does not call set_affinity_policy. Default: scatter.
 *   TOPO_TOPOLOGY   an hwloc XML file or synthetic description to rehearse on:
 *                   the table is that machine's; set_affinity binds nothing and
 *                   fails with ENOTSUP, lmalloc gives memory by first touch.
 *
 * Errors: functions that return int give -1, lmalloc gives NULL; errno is set
 * and ulibc_error() describes the error. An environment variable or a machine that
 * cannot be read ends the program with one sentence and exit status 2: there is
 * no table to answer from.
 *
 * Threads: set_affinity_policy outside parallel regions only; everything else
 * from any thread.
 *
 * Where the paper contradicts itself: section 3.3 has get_online_numa_cores,
 * figure 6 get_numa_online_cores; both are here. Figure 14 hands a thread ID to
 * set_affinity, which takes a processor ID in figure 7; write
 * set_affinity(get_numa_procid(id)).
 */
#ifndef TOPO_ULIBC_H_
#define TOPO_ULIBC_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Policies. */
enum { SCATTER = 1, COMPACT = 2, COMPACT_PLUS = 3 };

/* Room for arrays indexed by node ID, as figure 6 has them. */
enum { MAX_NODES = 1024 };

/* (1) Chooses the policy and makes the mapping table. 0, or -1 with EINVAL. */
int set_affinity_policy(int policy);

/* (2) How many NUMA nodes have threads. */
int get_online_numa_nodes(void);

/* How many threads are on a node; -1 with EINVAL for a node without any. */
int get_online_numa_cores(int node_id);
int get_numa_online_cores(int node_id);

/* (3) - (7) The row of a thread; -1 with EINVAL for a negative ID.
 * coreid: physical core within the node; smtid: hardware thread within the
 * core; ordcoreid: how many earlier threads are on the same node. */
int get_numa_procid(int thread_id);
int get_numa_nodeid(int thread_id);
int get_numa_coreid(int thread_id);
int get_numa_smtid(int thread_id);
int get_numa_ordcoreid(int thread_id);

/* (8) `sz` bytes of zeroed memory on the local memory of a node; NULL with
 * EINVAL, ENOMEM or EPERM. Free it with lfree. */
void* lmalloc(size_t sz, int node_id);
void lfree(void* memory);

/* (9) Binds the calling thread to a processor. 0, or -1 with EINVAL, EPERM, or
 * ENOTSUP on a rehearsed machine. */
int set_affinity(int processor_id);

/* (10) Gives the calling thread the affinity mask that the process had when it
 * started. */
void clear_affinity(void);

/* The last error of the calling thread in one sentence; "" if none. */
const char* ulibc_error(void);

#ifdef __cplusplus
}
#endif

#endif /* TOPO_ULIBC_H_ */
