/* Registered memory, and descriptions of it for other ranks.
 *
 *   llcl_region* words;
 *   status = llcl_allocate(job, 4096, &words);
 *   uint64_t* mine = llcl_start(words);
 *   llcl_remote all[MOST_RANKS];
 *   status = llcl_exchange(job, words, all, MOST_RANKS);
 *
 * Both ends of an operation lie in registered memory.
 */
#ifndef LLCL_C_REGION_H_
#define LLCL_C_REGION_H_

#include <stddef.h>
#include <stdint.h>

#include "llcl/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct llcl_job;
typedef struct llcl_region llcl_region;

/* Memory of a rank that other ranks may use. The bytes may be sent to other ranks of the job by
 * any means. All zeros are no region: each operation on it is LLCL_BAD_RANGE. */
typedef struct llcl_remote {
  uint64_t opaque[9];
} llcl_remote;

/* Allocates zeros, which go with the region. Errors of these three: LLCL_INVALID for no bytes;
 * LLCL_NO_MEMORY. */
llcl_status llcl_allocate(struct llcl_job* job, uint64_t bytes, llcl_region** region);
/* Registers the program's own memory, which outlives the region. */
llcl_status llcl_register(struct llcl_job* job, void* memory, uint64_t bytes, llcl_region** region);
/* Registers memory that the program shares by its descriptor, of a memfd or a file; it is mapped
 * here as the region's start. The program may close the descriptor then. LLCL_BAD_RANGE for bytes
 * beyond the file's end. */
llcl_status llcl_register_shared(struct llcl_job* job, int fd, uint64_t offset, uint64_t bytes,
                                 llcl_region** region);
/* No operation of this rank on the region is in flight. Those of other ranks end with
 * LLCL_REFUSED. Takes NULL. */
llcl_status llcl_free(llcl_region* region);

/* The first byte, and the number of bytes. NULL and 0 for NULL. */
void* llcl_start(const llcl_region* region);
uint64_t llcl_bytes(const llcl_region* region);

/* The description of a region of this rank. */
llcl_status llcl_describe(const llcl_region* region, llcl_remote* description);
/* Each rank's description, by rank, in `all`, which has room for `count`. All ranks call it and
 * wait for each other. Errors: LLCL_INVALID for less room than for all ranks; LLCL_UNAVAILABLE
 * where a rank is gone or late. */
llcl_status llcl_exchange(struct llcl_job* job, const llcl_region* region, llcl_remote* all,
                          size_t count);
/* The rank that the memory is of, and the number of its bytes. */
int llcl_owner(const llcl_remote* description);
uint64_t llcl_remote_bytes(const llcl_remote* description);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_REGION_H_ */
