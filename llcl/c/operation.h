/* Reads, writes and atomics on the memory of other ranks, or of this one.
 *
 *   status = llcl_read(job, &(llcl_transfer){.here = mine, .there = &all[1], .bytes = 8});
 *   status = llcl_atomic(job, &(llcl_update){.there = &all[1], .type = LLCL_U64,
 *                                            .op = LLCL_ADD, .operand = {.u64 = 1}}, &before);
 *
 * No order is promised among operations.
 *
 * Errors: LLCL_BAD_RANGE for bytes outside of a region, a word that is not aligned to its size, a
 *   region of a rank that is not in the job, a bitwise operation on floats; LLCL_PEER_DOWN and
 *   LLCL_LEFT where the rank is known to be gone. After LLCL_LATE the network may use the local
 *   memory until the job is left.
 */
#ifndef LLCL_C_OPERATION_H_
#define LLCL_C_OPERATION_H_

#include <stdint.h>

#include "llcl/c/completion.h"
#include "llcl/c/region.h"
#include "llcl/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct llcl_job;

/* Copies between `here`, a region of this rank, and `there`. Offsets and sizes are in bytes. */
typedef struct llcl_transfer {
  const llcl_region* here;
  uint64_t here_offset;
  const llcl_remote* there;
  uint64_t there_offset;
  uint64_t bytes;
  llcl_completion* then; /* may be NULL; not used by the forms that wait */
  uint32_t timeout_ms;   /* 0: the job's */
} llcl_transfer;

/* From there to here. */
llcl_status llcl_try_read(struct llcl_job* job, const llcl_transfer* transfer);
llcl_status llcl_read(struct llcl_job* job, const llcl_transfer* transfer);
/* From here to there. */
llcl_status llcl_try_write(struct llcl_job* job, const llcl_transfer* transfer);
llcl_status llcl_write(struct llcl_job* job, const llcl_transfer* transfer);

typedef enum llcl_type {
  LLCL_I32 = 0,
  LLCL_U32 = 1,
  LLCL_I64 = 2,
  LLCL_U64 = 3,
  LLCL_F32 = 4,
  LLCL_F64 = 5
} llcl_type;

/* 4 or 8; 0 for a number that is no type. */
uint64_t llcl_type_bytes(llcl_type type);

/* Overflow wraps. Floats are compared by their bits. */
typedef enum llcl_op {
  LLCL_ADD = 0,
  LLCL_MIN = 1,
  LLCL_MAX = 2,
  LLCL_AND = 3,
  LLCL_OR = 4,
  LLCL_XOR = 5,
  LLCL_SWAP = 6,
  LLCL_COMPARE_SWAP = 7, /* writes `operand` only over `expected` */
  LLCL_PRODUCT = 8,
  LLCL_FETCH = 9 /* changes nothing */
} llcl_op;

/* A word of any of the types. */
typedef union llcl_word {
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  float f32;
  double f64;
} llcl_word;

/* The word at `there` becomes op(word, operand). */
typedef struct llcl_update {
  const llcl_remote* there;
  uint64_t there_offset; /* of a word that is aligned to its size */
  llcl_type type;
  llcl_op op;
  llcl_word operand, expected;
  /* Where the word's value before goes; NULL: nowhere. Not used by the form that waits. */
  const llcl_region* fetch_to;
  uint64_t fetch_offset;
  llcl_completion* then; /* as llcl_transfer's */
  uint32_t timeout_ms;
} llcl_update;

llcl_status llcl_try_atomic(struct llcl_job* job, const llcl_update* update);
/* The word's value before goes to `before`, which may be NULL. 64 threads may fetch at a time; more
 * wait for each other. LLCL_NO_ROOM after 64 fetches that were late. */
llcl_status llcl_atomic(struct llcl_job* job, const llcl_update* update, llcl_word* before);

/* Put with signal: a write, and when it is there, an atomic without a fetch. `transfer->then` is
 * called when the write has ended, `signal->then` when both have. */
llcl_status llcl_try_write_then_atomic(struct llcl_job* job, const llcl_transfer* transfer,
                                       const llcl_update* signal);
llcl_status llcl_write_then_atomic(struct llcl_job* job, const llcl_transfer* transfer,
                                   const llcl_update* signal);
/* A write, and when it is there, a message to `to` (message.h), copied before the call returns. */
llcl_status llcl_try_write_then_send(struct llcl_job* job, const llcl_transfer* transfer, int to,
                                     uint16_t handler, const void* payload, uint64_t bytes,
                                     llcl_completion* then);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_OPERATION_H_ */
