/* A process's part in a job.
 *
 *   llcl_job* job;
 *   if (llcl_join(NULL, &job) != LLCL_OK) return puts(llcl_error()), 1;
 *   printf("rank %d of %d\n", llcl_rank(job), llcl_size(job));
 *   llcl_leave(job);
 */
#ifndef LLCL_C_JOB_H_
#define LLCL_C_JOB_H_

#include <stddef.h>
#include <stdint.h>

#include "llcl/c/message.h"
#include "llcl/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct llcl_job llcl_job;

typedef struct llcl_options {
  /* Handlers of messages, by number; the same on all ranks. Copied. They may run before llcl_join
   * returns. */
  const llcl_handler* handlers;
  size_t handler_count;
  /* Called once for each rank that is lost, or has left, as a handler is. */
  void (*on_loss)(void* data, int rank);
  void (*on_leave)(void* data, int rank);
  void* data;           /* theirs */
  uint32_t timeout_ms;  /* of operations that name none; 0: 30 seconds */
  int credits;          /* messages that a rank may have on their way to another; 0: 64 */
  uint64_t large_bytes; /* of a message at most; 0: 64 MiB. The same on all ranks */
} llcl_options;

/* Joins the job that this process was started for (job.h). All ranks call it. `options` may be
 * NULL. Errors: LLCL_INVALID for impossible options, or an environment that makes no sense;
 * LLCL_UNAVAILABLE where ranks do not come; LLCL_NO_MEMORY; LLCL_FAILED. */
llcl_status llcl_join(const llcl_options* options, llcl_job** job);

/* Leaves the job: waits for all operations in flight, then takes leave of the other ranks, for a
 * second at most. Frees the job's regions and teams. One thread calls it, when no other call is
 * under way, and no handler or callback. Takes NULL. */
llcl_status llcl_leave(llcl_job* job);

/* Everything in flight ends now, with LLCL_ABORTED, and nothing is accepted any more. */
llcl_status llcl_abort(llcl_job* job);

/* This rank, and the number of ranks. -1 for NULL. */
int llcl_rank(const llcl_job* job);
int llcl_size(const llcl_job* job);

/* LLCL_OK: `rank` is here, as far as is known. LLCL_LEFT; LLCL_PEER_DOWN. */
llcl_status llcl_presence(const llcl_job* job, int rank);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_JOB_H_ */
