/* A rank for c_test.sh: calls each of llcl's C functions, with arguments that are right and wrong.
 */
#include "llcl/tests/c_program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "llcl/c.h"

llcl_job* job;
int rank, size, next;

static void check_statuses(void) {
  for (int status = LLCL_OK; status <= LLCL_FAILED; ++status) {
    REQUIRE(strcmp(llcl_status_name((llcl_status)status), "?") != 0);
  }
  REQUIRE(strcmp(llcl_status_name((llcl_status)99), "?") == 0);
  REQUIRE(llcl_type_bytes(LLCL_F32) == 4 && llcl_type_bytes(LLCL_U64) == 8);
  REQUIRE(llcl_type_bytes((llcl_type)99) == 0);
}

static void check_joining(void) {
  llcl_job* none = NULL;
  EXPECT(LLCL_INVALID, llcl_join(NULL, NULL));
  EXPECT(LLCL_INVALID, llcl_join(&(llcl_options){.handler_count = 1}, &none));
  const llcl_handler empty = {NULL, NULL};
  EXPECT(LLCL_INVALID, llcl_join(&(llcl_options){.handlers = &empty, .handler_count = 1}, &none));
  EXPECT(LLCL_INVALID, llcl_join(&(llcl_options){.credits = -1}, &none));
  REQUIRE(none == NULL && llcl_rank(NULL) == -1 && llcl_size(NULL) == -1);
  OK(llcl_leave(NULL));
  OK(llcl_join(&(llcl_options){.handlers = handlers, .handler_count = 3}, &job));
  rank = llcl_rank(job);
  size = llcl_size(job);
  next = (rank + 1) % size;
  REQUIRE(rank >= 0 && rank < size && size <= MOST_RANKS);
  for (int other = 0; other < size; ++other) OK(llcl_presence(job, other));
  EXPECT(LLCL_INVALID, llcl_presence(job, size));
  EXPECT(LLCL_INVALID, llcl_presence(job, -1));
  EXPECT(LLCL_INVALID, llcl_presence(NULL, 0));
}

static void check_regions(void) {
  llcl_region* region = NULL;
  llcl_remote all[MOST_RANKS];
  char memory[64];
  EXPECT(LLCL_INVALID, llcl_allocate(job, 0, &region));
  EXPECT(LLCL_INVALID, llcl_allocate(NULL, 8, &region));
  EXPECT(LLCL_INVALID, llcl_allocate(job, 8, NULL));
  EXPECT(LLCL_NO_MEMORY, llcl_allocate(job, (uint64_t)1 << 60, &region));
  EXPECT(LLCL_INVALID, llcl_register(job, NULL, 8, &region));
  EXPECT(LLCL_INVALID, llcl_register(job, memory, 0, &region));
  REQUIRE(region == NULL && llcl_start(NULL) == NULL && llcl_bytes(NULL) == 0);
  OK(llcl_free(NULL));
  OK(llcl_register(job, memory, sizeof memory, &region));
  REQUIRE(llcl_start(region) == memory && llcl_bytes(region) == sizeof memory);
  OK(llcl_describe(region, &all[0]));
  REQUIRE(llcl_owner(&all[0]) == rank && llcl_remote_bytes(&all[0]) == sizeof memory);
  REQUIRE(llcl_owner(NULL) == -1 && llcl_remote_bytes(NULL) == 0);
  EXPECT(LLCL_INVALID, llcl_describe(NULL, &all[0]));
  EXPECT(LLCL_INVALID, llcl_describe(region, NULL));
  EXPECT(LLCL_INVALID, llcl_exchange(job, NULL, all, MOST_RANKS));
  EXPECT(LLCL_INVALID, llcl_exchange(job, region, NULL, MOST_RANKS));
  EXPECT(LLCL_INVALID, llcl_exchange(job, region, all, (size_t)size - 1));
  OK(llcl_exchange(job, region, all, MOST_RANKS));
  for (int other = 0; other < size; ++other) REQUIRE(llcl_owner(&all[other]) == other);
  OK(llcl_free(region));

  const int file = memfd_create("c_program", 0);
  REQUIRE(file >= 0 && ftruncate(file, REGION_BYTES) == 0);
  EXPECT(LLCL_BAD_RANGE, llcl_register_shared(job, file, 0, 2 * REGION_BYTES, &region));
  OK(llcl_register_shared(job, file, 0, REGION_BYTES, &region));
  REQUIRE(write(file, "shared", 7) == 7 && strcmp(llcl_start(region), "shared") == 0);
  close(file);
  OK(llcl_free(region));
}

/* A completion of the program's own. */
typedef struct mine {
  llcl_completion then;
  llcl_status outcome;
  llcl_flag called;
} mine;
static void on_end(llcl_completion* self, llcl_status outcome) {
  ((mine*)self)->outcome = outcome;
  llcl_raise(&((mine*)self)->called.then, LLCL_OK);
}

/* `words` are of REGION_BYTES on each rank. The second half is written by the rank before. */
static void check_transfers(llcl_region* words, const llcl_remote* all) {
  unsigned char memory[256];
  llcl_region* here;
  llcl_flag done = LLCL_FLAG_INIT;
  llcl_counter ends = LLCL_COUNTER_INIT;
  OK(llcl_register(job, memory, sizeof memory, &here));
  const llcl_transfer put = {
      .here = here, .there = &all[next], .there_offset = REGION_BYTES / 2, .bytes = sizeof memory};
  const unsigned char* const arrived = (unsigned char*)llcl_start(words) + REGION_BYTES / 2;

  memset(memory, rank + 1, sizeof memory);
  OK(llcl_write(job, &put));
  memset(memory, 0, sizeof memory);
  OK(llcl_read(job, &put));
  REQUIRE(memory[0] == rank + 1 && memory[255] == rank + 1);
  OK(llcl_barrier(llcl_world(job)));
  REQUIRE(arrived[0] == (rank + size - 1) % size + 1);
  OK(llcl_barrier(llcl_world(job)));

  /* By a flag, twice; by a counter; by a completion of the program's own; by none. */
  llcl_transfer part = put;
  part.then = &done.then;
  for (int i = 0; i < 2; ++i) {
    memset(memory, i + 50, sizeof memory);
    REQUIRE(!llcl_is_done(&done));
    KEEP_TRYING(llcl_try_write(job, &part));
    OK(llcl_wait(job, &done));
    KEEP_TRYING(llcl_try_read(job, &part));
    while (!llcl_is_done(&done)) OK(llcl_progress(job));
    OK(llcl_wait(job, &done));
    REQUIRE(memory[9] == i + 50);
  }
  part.then = &ends.then;
  part.bytes = 8;
  for (uint64_t i = 0; i < 32; ++i) {
    part.here_offset = 8 * i;
    part.there_offset = put.there_offset + 8 * i;
    KEEP_TRYING(llcl_try_write(job, &part));
  }
  OK(llcl_wait_for(job, &ends, 32));
  REQUIRE(llcl_ended(&ends) == 32 && llcl_failed(&ends) == 0 && llcl_ended(NULL) == 0);
  mine own = {{on_end}, LLCL_FAILED, LLCL_FLAG_INIT};
  part.then = &own.then;
  KEEP_TRYING(llcl_try_read(job, &part));
  OK(llcl_wait(job, &own.called));
  REQUIRE(own.outcome == LLCL_OK);
  part.then = NULL;
  part.timeout_ms = 10000;
  KEEP_TRYING(llcl_try_write(job, &part));
  OK(llcl_drain(job));

  /* Wrong ranges, regions and arguments. */
  llcl_transfer wrong = put;
  wrong.there_offset = REGION_BYTES - 8;
  EXPECT(LLCL_BAD_RANGE, llcl_read(job, &wrong));
  EXPECT(LLCL_BAD_RANGE, llcl_write(job, &wrong));
  EXPECT(LLCL_BAD_RANGE, llcl_try_read(job, &wrong));
  EXPECT(LLCL_BAD_RANGE, llcl_try_write(job, &wrong));
  wrong = put;
  wrong.here_offset = UINT64_MAX;
  EXPECT(LLCL_BAD_RANGE, llcl_read(job, &wrong));
  llcl_remote nowhere;
  memset(&nowhere, 0, sizeof nowhere);
  wrong = put;
  wrong.there = &nowhere;
  EXPECT(LLCL_BAD_RANGE, llcl_read(job, &wrong));
  memset(&nowhere, 0x5a, sizeof nowhere); /* of a rank that there is not */
  EXPECT(LLCL_BAD_RANGE, llcl_write(job, &wrong));
  wrong.there = NULL;
  EXPECT(LLCL_INVALID, llcl_read(job, &wrong));
  wrong = put;
  wrong.here = NULL;
  EXPECT(LLCL_INVALID, llcl_try_write(job, &wrong));
  EXPECT(LLCL_INVALID, llcl_read(job, NULL));
  EXPECT(LLCL_INVALID, llcl_write(NULL, &put));
  EXPECT(LLCL_INVALID, llcl_wait(job, NULL));
  EXPECT(LLCL_INVALID, llcl_wait(NULL, &done));
  EXPECT(LLCL_INVALID, llcl_wait_for(job, NULL, 1));
  EXPECT(LLCL_INVALID, llcl_progress(NULL));
  EXPECT(LLCL_INVALID, llcl_drain(NULL));

  /* A region that its owner has given up. */
  llcl_region* passing;
  llcl_remote gone[MOST_RANKS];
  OK(llcl_allocate(job, 64, &passing));
  OK(llcl_exchange(job, passing, gone, MOST_RANKS));
  OK(llcl_free(passing));
  OK(llcl_barrier(llcl_world(job)));
  wrong = (llcl_transfer){.here = here, .there = &gone[next], .bytes = 8};
  EXPECT(LLCL_REFUSED, llcl_read(job, &wrong));
  wrong.then = &ends.then;
  KEEP_TRYING(llcl_try_write(job, &wrong));
  EXPECT(LLCL_FAILED, llcl_wait_for(job, &ends, 33));
  REQUIRE(llcl_failed(&ends) == 1);
  OK(llcl_free(here));
}

/* All ranks on rank 0's first words, which are zeros. */
static void check_atomics(llcl_region* words, const llcl_remote* all) {
  llcl_word before = {0};
  const llcl_word one = {.u64 = 1};
  llcl_update count = {.there = &all[0], .type = LLCL_U64, .op = LLCL_ADD, .operand = one};
  for (int i = 0; i < 100; ++i) OK(llcl_atomic(job, &count, i % 2 == 0 ? &before : NULL));
  OK(llcl_barrier(llcl_world(job)));
  count.op = LLCL_FETCH;
  OK(llcl_atomic(job, &count, &before));
  REQUIRE(before.u64 == 100u * (unsigned)size);

  /* Each operation, on a word of this rank's own. */
  static const struct {
    llcl_op op;
    int32_t operand, expected, old, now;
  } steps[] = {{LLCL_SWAP, 12, 0, 0, 12},
               {LLCL_ADD, -2, 0, 12, 10},
               {LLCL_MIN, -7, 0, 10, -7},
               {LLCL_MAX, 6, 0, -7, 6},
               {LLCL_AND, 3, 0, 6, 2},
               {LLCL_OR, 5, 0, 2, 7},
               {LLCL_XOR, 2, 0, 7, 5},
               {LLCL_PRODUCT, -1, 0, 5, -5},
               {LLCL_PRODUCT, -1, 0, -5, 5},
               {LLCL_COMPARE_SWAP, 9, 4, 5, 5},
               {LLCL_COMPARE_SWAP, 9, 5, 5, 9},
               {LLCL_FETCH, 1, 1, 9, 9},
               {LLCL_COMPARE_SWAP, -1, 9, 9, -1},
               {LLCL_SWAP, 0, 0, -1, 0}};
  llcl_update own = {.there = &all[next], .there_offset = 64 + 8 * (uint64_t)rank};
  for (int type = LLCL_I32; type <= LLCL_F64; ++type) {
    own.type = (llcl_type)type;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
      own.op = steps[i].op;
      const int is_signed = type == LLCL_I32 || type == LLCL_I64;
      const int is_float = type == LLCL_F32 || type == LLCL_F64;
      if (is_float && own.op >= LLCL_AND && own.op <= LLCL_XOR) {
        EXPECT(LLCL_BAD_RANGE, llcl_atomic(job, &own, NULL));
        continue;
      }
      if (!is_signed && (is_float || own.op == LLCL_MIN || own.op == LLCL_MAX)) continue;
      switch (type) {
        case LLCL_I32:
        case LLCL_U32:
          own.operand.i32 = steps[i].operand, own.expected.i32 = steps[i].expected;
          break;
        default:
          own.operand.i64 = steps[i].operand, own.expected.i64 = steps[i].expected;
      }
      OK(llcl_atomic(job, &own, &before));
      if (is_signed) REQUIRE((type == LLCL_I32 ? before.i32 : before.i64) == steps[i].old);
    }
    const llcl_update clear = {
        .there = own.there, .there_offset = own.there_offset, .type = LLCL_U64, .op = LLCL_SWAP};
    OK(llcl_atomic(job, &clear, NULL));
  }
  own.type = LLCL_F64;
  own.op = LLCL_ADD;
  own.operand.f64 = 0.5;
  OK(llcl_atomic(job, &own, NULL));
  OK(llcl_atomic(job, &own, &before));
  REQUIRE(before.f64 == 0.5);
  own.type = LLCL_F32;
  own.op = LLCL_SWAP;
  own.operand.f32 = 0.25f;
  OK(llcl_atomic(job, &own, NULL));
  own.op = LLCL_MAX;
  own.operand.f32 = 8;
  OK(llcl_atomic(job, &own, &before));
  REQUIRE(before.f32 == 0.25f);

  /* The form that does not wait, with a fetch to a region. */
  llcl_flag done = LLCL_FLAG_INIT;
  llcl_update fetch = own;
  fetch.op = LLCL_FETCH;
  fetch.fetch_to = words;
  fetch.fetch_offset = 512;
  fetch.then = &done.then;
  KEEP_TRYING(llcl_try_atomic(job, &fetch));
  OK(llcl_wait(job, &done));
  memcpy(&before, (char*)llcl_start(words) + 512, 4);
  REQUIRE(before.f32 == 8);

  llcl_update wrong = own;
  wrong.there_offset += 2; /* not aligned */
  EXPECT(LLCL_BAD_RANGE, llcl_atomic(job, &wrong, &before));
  wrong.there_offset = REGION_BYTES;
  EXPECT(LLCL_BAD_RANGE, llcl_try_atomic(job, &wrong));
  wrong = own;
  wrong.type = (llcl_type)6;
  EXPECT(LLCL_INVALID, llcl_atomic(job, &wrong, NULL));
  wrong = own;
  wrong.op = (llcl_op)10;
  EXPECT(LLCL_INVALID, llcl_try_atomic(job, &wrong));
  wrong.there = NULL;
  EXPECT(LLCL_INVALID, llcl_atomic(job, &wrong, NULL));
  EXPECT(LLCL_INVALID, llcl_atomic(NULL, &own, NULL));
  EXPECT(LLCL_INVALID, llcl_try_atomic(job, NULL));
}

int main(void) {
  check_statuses();
  check_joining();
  check_regions();
  llcl_region* words;
  llcl_remote all[MOST_RANKS];
  OK(llcl_allocate(job, REGION_BYTES, &words));
  OK(llcl_exchange(job, words, all, MOST_RANKS));
  check_transfers(words, all);
  check_atomics(words, all);
  check_messages(words, all);
  check_teams();
  OK(llcl_barrier(llcl_world(job)));

  /* Nothing is accepted after the end of all operations. The regions go with the job. */
  EXPECT(LLCL_INVALID, llcl_abort(NULL));
  OK(llcl_abort(job));
  EXPECT(LLCL_CLOSING,
         llcl_read(job, &(llcl_transfer){.here = words, .there = &all[next], .bytes = 8}));
  OK(llcl_leave(job));
  return 0;
}
