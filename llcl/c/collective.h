/* Collective operations: those of all ranks of a team together.
 *
 *   status = llcl_allgather(llcl_world(job), &mine, all, sizeof mine);
 *
 * All members begin the same operations of a team in the same order. Memory need not be
 * registered; it is the operation's until the operation ends. Sizes are in bytes. A rank's own
 * block may lie in its place in the result already; else blocks do not overlap. `root` is a rank in
 * the team. reduction.h has the operations that combine.
 *
 * Threads: as team.h.
 * Order: what came before a rank's part begins happens before what follows the operation's end on
 *   each rank that gets data of that rank; for the barrier, on all ranks.
 * Errors: LLCL_BAD_RANGE for an unknown root, for sizes that do not fit, and on a rank that is not
 *   a member; LLCL_TOO_LONG where memory cannot be registered; LLCL_PEER_DOWN, LLCL_LEFT, LLCL_LATE
 *   where a member is lost, has left without its part, or is late; LLCL_DISAGREEMENT where members
 *   have begun operations that do not fit: the forms that wait leave a sentence with the ranks and
 *   the sizes. The team cannot be used then.
 */
#ifndef LLCL_C_COLLECTIVE_H_
#define LLCL_C_COLLECTIVE_H_

#include <stddef.h>

#include "llcl/c/completion.h"
#include "llcl/c/status.h"
#include "llcl/c/team.h"

#ifdef __cplusplus
extern "C" {
#endif

llcl_status llcl_barrier(llcl_team* team);
llcl_status llcl_try_barrier(llcl_team* team, llcl_completion* then);

/* Root's bytes, to all. */
llcl_status llcl_broadcast(llcl_team* team, void* memory, size_t bytes, int root);
llcl_status llcl_try_broadcast(llcl_team* team, void* memory, size_t bytes, int root,
                               llcl_completion* then);

/* Every rank's block of `bytes`, by rank, on root. `all` is for root only. */
llcl_status llcl_gather(llcl_team* team, const void* mine, void* all, size_t bytes, int root);
llcl_status llcl_try_gather(llcl_team* team, const void* mine, void* all, size_t bytes, int root,
                            llcl_completion* then);
/* Root's blocks, to each rank its own. `all` is for root only. */
llcl_status llcl_scatter(llcl_team* team, const void* all, void* mine, size_t bytes, int root);
llcl_status llcl_try_scatter(llcl_team* team, const void* all, void* mine, size_t bytes, int root,
                             llcl_completion* then);
/* Every rank's block of `bytes`, by rank, on every rank. */
llcl_status llcl_allgather(llcl_team* team, const void* mine, void* all, size_t bytes);
llcl_status llcl_try_allgather(llcl_team* team, const void* mine, void* all, size_t bytes,
                               llcl_completion* then);
/* The same with blocks of bytes[rank], the same array on all ranks. */
llcl_status llcl_allgatherv(llcl_team* team, const void* mine, void* all, const size_t* bytes);
llcl_status llcl_try_allgatherv(llcl_team* team, const void* mine, void* all, const size_t* bytes,
                                llcl_completion* then);
/* Each rank gets its block of `bytes` of each rank's `mine`, by rank, in `theirs`. */
llcl_status llcl_alltoall(llcl_team* team, const void* mine, void* theirs, size_t bytes);
llcl_status llcl_try_alltoall(llcl_team* team, const void* mine, void* theirs, size_t bytes,
                              llcl_completion* then);
/* The same with blocks of sent[rank] for each rank and received[rank] from each. */
llcl_status llcl_alltoallv(llcl_team* team, const void* mine, const size_t* sent, void* theirs,
                           const size_t* received);
llcl_status llcl_try_alltoallv(llcl_team* team, const void* mine, const size_t* sent, void* theirs,
                               const size_t* received, llcl_completion* then);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_COLLECTIVE_H_ */
