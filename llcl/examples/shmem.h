/* OpenSHMEM's core over llcl's C functions: C programs that include shmem.h run unchanged.
 *
 * Symmetric are the memory of shmem_malloc (SHMEM_SYMMETRIC_SIZE bytes, 256M without it) and the
 * global and static variables of the program's own object files. Variables of shared libraries are
 * not: their segments are not registered. All processing elements (PEs) run the same executable.
 *
 * Operations of contexts are completed by any quiet. Names that begin with shmemi_ are internal.
 *
 * Threads: SHMEM_THREAD_MULTIPLE. Errors: a sentence, and the end of all PEs.
 * Source: OpenSHMEM 1.5, and the active sets of 1.4.
 */
#ifndef LLCL_EXAMPLES_SHMEM_H_
#define LLCL_EXAMPLES_SHMEM_H_

#include <stddef.h>
#include <stdint.h>

typedef struct shmemi_team *shmem_team_t, *shmem_ctx_t; /* A context is its team. */
typedef struct shmem_team_config {
  int num_contexts;
} shmem_team_config_t;
extern struct shmemi_team shmemi_world, shmemi_shared;
#define SHMEM_TEAM_WORLD (&shmemi_world)
#define SHMEM_TEAM_SHARED (&shmemi_shared)
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_CTX_DEFAULT (&shmemi_world)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
enum { SHMEM_CTX_SERIALIZED = 1, SHMEM_CTX_PRIVATE = 2, SHMEM_CTX_NOSTORE = 4 };
enum { SHMEM_TEAM_NUM_CONTEXTS = 1, SHMEM_MALLOC_ATOMICS_REMOTE = 1, SHMEM_MALLOC_SIGNAL_REMOTE };
enum { SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE };
enum { SHMEM_SIGNAL_SET, SHMEM_SIGNAL_ADD, SHMEM_SYNC_VALUE = 0, SHMEM_BARRIER_SYNC_SIZE = 1 };
enum { SHMEM_BCAST_SYNC_SIZE = 1, SHMEM_COLLECT_SYNC_SIZE = 1, SHMEM_REDUCE_SYNC_SIZE = 1 };
enum { SHMEM_ALLTOALL_SYNC_SIZE = 1, SHMEM_ALLTOALLS_SYNC_SIZE, SHMEM_REDUCE_MIN_WRKDATA_SIZE = 1 };
enum { SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE };
enum { SHMEM_MAJOR_VERSION = 1, SHMEM_MINOR_VERSION = 5, SHMEM_MAX_NAME_LEN = 64 };
#define SHMEM_VENDOR_STRING "llcl"
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION

void shmem_init(void), shmem_finalize(void), start_pes(int), shmem_global_exit(int);
int shmem_init_thread(int requested, int* provided);
int shmem_my_pe(void), shmem_n_pes(void), shmem_pe_accessible(int pe);
int shmem_addr_accessible(const void* memory, int pe);
void *shmem_ptr(const void*memory, int pe), *shmem_team_ptr(shmem_team_t, const void*, int pe);
void shmem_info_get_version(int*major, int*minor), shmem_info_get_name(char*name);
void shmem_query_thread(int*provided), shmem_query_initialized(int*initialized);
void shmem_pcontrol(int level, ...);
void *shmem_malloc(size_t), *shmem_calloc(size_t, size_t), *shmem_align(size_t alignment, size_t);
void *shmem_realloc(void*, size_t), *shmem_malloc_with_hints(size_t, long), shmem_free(void*);
void shmem_quiet(void), shmem_fence(void), shmem_barrier_all(void), shmem_sync_all(void);
void shmem_set_lock(long*), shmem_clear_lock(long*);
int shmem_test_lock(long*);
int shmem_team_my_pe(shmem_team_t), shmem_team_n_pes(shmem_team_t), shmem_team_sync(shmem_team_t);
int shmem_team_translate_pe(shmem_team_t from, int pe, shmem_team_t to);
int shmem_team_split_strided(shmem_team_t, int start, int stride, int size,
                             const shmem_team_config_t*, long mask, shmem_team_t* part);
int shmem_team_split_2d(shmem_team_t, int columns, const shmem_team_config_t*, long, shmem_team_t*,
                        const shmem_team_config_t*, long, shmem_team_t*);
int shmem_team_get_config(shmem_team_t, long mask, shmem_team_config_t*);
int shmem_team_create_ctx(shmem_team_t, long options, shmem_ctx_t*);
int shmem_ctx_create(long options, shmem_ctx_t*), shmem_ctx_get_team(shmem_ctx_t, shmem_team_t*);
void shmem_team_destroy(shmem_team_t), shmem_ctx_destroy(shmem_ctx_t);
void shmem_ctx_quiet(shmem_ctx_t), shmem_ctx_fence(shmem_ctx_t);

enum { SHMEMI_GET, SHMEMI_PUT, SHMEMI_GET_NBI, SHMEMI_PUT_NBI };
enum {
  SHMEMI_ADD = 0,
  SHMEMI_AND = 3,
  SHMEMI_OR,
  SHMEMI_XOR,
  SHMEMI_SWAP,
  SHMEMI_CAS,
  SHMEMI_FETCH
};
void shmemi_copy(int how, const void* symmetric, const void* local, size_t bytes, int pe);
void shmemi_strided(int how, const void* symmetric, const void* local, ptrdiff_t symmetric_stride,
                    ptrdiff_t local_stride, size_t count, size_t bytes, int pe);
void shmemi_update(int op, const void* word, const void* operand, const void* expected,
                   void* before, size_t bytes, int pe);
void shmemi_signal(uint64_t*word, uint64_t value, int op, int pe), shmemi_poll(void);
void shmemi_use(shmem_ctx_t); /* The thread's next operation is of the context. */
size_t shmemi_turn(void);     /* 0, 1, 2, ... */
int shmemi_pe(int pe);        /* The PE's number in the world; ends the use of the context. */
shmem_team_t shmemi_set(int start, int log2_stride, int size);
int shmemi_broadcast(shmem_team_t, void* to, const void* from, size_t bytes, int root, int also);
int shmemi_collect(shmem_team_t, void* to, const void* from, size_t bytes);
int shmemi_fcollect(shmem_team_t, void* to, const void* from, size_t bytes);
int shmemi_alltoall(shmem_team_t, void* to, const void* from, ptrdiff_t to_stride,
                    ptrdiff_t from_stride, size_t count, size_t bytes);
int shmemi_reduce(shmem_team_t, void* to, const void* from, size_t count, size_t bytes,
                  void (*combine)(void*, const void*));

#include "shmem_types.h"

#endif /* LLCL_EXAMPLES_SHMEM_H_ */
