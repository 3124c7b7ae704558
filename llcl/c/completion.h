/* The ends of operations: callbacks, flags and counters.
 *
 *   llcl_flag done = LLCL_FLAG_INIT;
 *   status = llcl_try_read(job, &(llcl_transfer){..., .then = &done.then});
 *   if (status == LLCL_OK) status = llcl_wait(job, &done);
 *
 * A program's own completion is a struct whose first member is an llcl_completion. It lives until
 * it was called.
 *
 * Threads: any thread calls a completion, perhaps before the call that asked for the operation
 *   returns. So a callback must not block.
 * Order: what the operation read or wrote happens before the callback, and before what follows
 *   the wait for a flag or a counter.
 */
#ifndef LLCL_C_COMPLETION_H_
#define LLCL_C_COMPLETION_H_

#include <stdint.h>

#include "llcl/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct llcl_job;

typedef struct llcl_completion {
  void (*call)(struct llcl_completion* self, llcl_status outcome);
} llcl_completion;

/* For one operation at a time. */
typedef struct llcl_flag {
  llcl_completion then;
  uint64_t opaque;
} llcl_flag;

/* For any number of operations. */
typedef struct llcl_counter {
  llcl_completion then;
  uint64_t opaque[2];
} llcl_counter;

void llcl_raise(llcl_completion* flag, llcl_status outcome);
void llcl_count(llcl_completion* counter, llcl_status outcome);
/* clang-format off */
#define LLCL_FLAG_INIT {{llcl_raise}, 0}
#define LLCL_COUNTER_INIT {{llcl_count}, {0, 0}}
/* clang-format on */

/* Returns once the flag is raised, with the operation's outcome. The flag is ready for the next
 * operation then. Makes progress meanwhile, and sleeps where the wait takes long. */
llcl_status llcl_wait(struct llcl_job* job, llcl_flag* flag);
/* Has the operation ended? 1 or 0. */
int llcl_is_done(const llcl_flag* flag);

/* Returns once `expected` operations have ended since the counter's beginning; operations that
 * were not accepted do not end. LLCL_FAILED where any has failed. */
llcl_status llcl_wait_for(struct llcl_job* job, llcl_counter* counter, uint64_t expected);
/* The operations that have ended, and the failed ones among them. */
uint64_t llcl_ended(const llcl_counter* counter);
uint64_t llcl_failed(const llcl_counter* counter);

/* One step of a wait that the program writes itself. */
llcl_status llcl_progress(struct llcl_job* job);
/* Returns when nothing that this rank has asked for is in flight. */
llcl_status llcl_drain(struct llcl_job* job);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_COMPLETION_H_ */
