/* Collective operations that combine elements.
 *
 *   status = llcl_allreduce(llcl_world(job), mine, sums, 100,
 *                           &(llcl_combination){.type = LLCL_F64, .op = LLCL_ADD});
 *
 * As collective.h, with counts of elements for sizes. Floats are combined in an order that depends
 * on the sizes and the root alone.
 */
#ifndef LLCL_C_REDUCTION_H_
#define LLCL_C_REDUCTION_H_

#include <stddef.h>

#include "llcl/c/completion.h"
#include "llcl/c/operation.h"
#include "llcl/c/status.h"
#include "llcl/c/team.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How elements are combined: by `op` (but LLCL_SWAP, LLCL_COMPARE_SWAP, LLCL_FETCH) on elements of
 * `type`; or, where `combine` is not NULL, by the program's own operation on elements of 1, 2, 4,
 * 8, 16 or 32 bytes: *to becomes *to op *from. It is associative and commutative, any thread calls
 * it, and `to` and `from` are aligned to the size, to 16 at most. */
typedef struct llcl_combination {
  llcl_type type;
  llcl_op op;
  void (*combine)(void* to, const void* from);
  size_t element_bytes; /* for `combine` only */
} llcl_combination;

/* `count` elements, each combined over all ranks, on root. `result` is for root only. */
llcl_status llcl_reduce(llcl_team* team, const void* mine, void* result, size_t count,
                        const llcl_combination* how, int root);
llcl_status llcl_try_reduce(llcl_team* team, const void* mine, void* result, size_t count,
                            const llcl_combination* how, int root, llcl_completion* then);
/* The same on every rank. */
llcl_status llcl_allreduce(llcl_team* team, const void* mine, void* result, size_t count,
                           const llcl_combination* how);
llcl_status llcl_try_allreduce(llcl_team* team, const void* mine, void* result, size_t count,
                               const llcl_combination* how, llcl_completion* then);
/* Each rank gets its block of the result: counts[rank] elements, the same array on all ranks. */
llcl_status llcl_reduce_scatter(llcl_team* team, const void* mine, void* result,
                                const size_t* counts, const llcl_combination* how);
llcl_status llcl_try_reduce_scatter(llcl_team* team, const void* mine, void* result,
                                    const size_t* counts, const llcl_combination* how,
                                    llcl_completion* then);
/* The combination of the ranks up to this one. */
llcl_status llcl_scan(llcl_team* team, const void* mine, void* result, size_t count,
                      const llcl_combination* how);
llcl_status llcl_try_scan(llcl_team* team, const void* mine, void* result, size_t count,
                          const llcl_combination* how, llcl_completion* then);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_REDUCTION_H_ */
