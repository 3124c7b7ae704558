/* The part of c_program.c that checks teams and collective operations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llcl/c.h"
#include "llcl/tests/c_program.h"

static llcl_team* world;
static llcl_flag done = LLCL_FLAG_INIT;
/* Begins the operation, and waits for it. */
#define BOTH(call)             \
  do {                         \
    OK(call);                  \
    OK(llcl_wait(job, &done)); \
  } while (0)

static void check_blocks(void) {
  int mine = 100 + rank, all[MOST_RANKS] = {0}, theirs[MOST_RANKS] = {0};
  int shared[3] = {rank, rank, rank};
  OK(llcl_broadcast(world, shared, sizeof shared, size - 1));
  REQUIRE(shared[0] == size - 1 && shared[2] == size - 1);
  shared[1] = rank;
  BOTH(llcl_try_broadcast(world, shared, sizeof shared, 0, &done.then));
  REQUIRE(shared[1] == 0);

  for (int form = 0; form < 2; ++form) {
    memset(all, 0, sizeof all);
    if (form == 0) OK(llcl_allgather(world, &mine, all, sizeof mine));
    if (form == 1) BOTH(llcl_try_allgather(world, &mine, all, sizeof mine, &done.then));
    for (int i = 0; i < size; ++i) REQUIRE(all[i] == 100 + i);
    memset(all, 0, sizeof all);
    if (form == 0) OK(llcl_gather(world, &mine, rank == 0 ? all : NULL, sizeof mine, 0));
    if (form == 1) BOTH(llcl_try_gather(world, &mine, all, sizeof mine, 0, &done.then));
    for (int i = 0; rank == 0 && i < size; ++i) REQUIRE(all[i] == 100 + i);
    int part = 0;
    if (form == 0) OK(llcl_scatter(world, rank == 0 ? all : NULL, &part, sizeof part, 0));
    if (form == 1) BOTH(llcl_try_scatter(world, all, &part, sizeof part, 0, &done.then));
    REQUIRE(part == mine);
    for (int i = 0; i < size; ++i) all[i] = 10 * rank + i;
    if (form == 0) OK(llcl_alltoall(world, all, theirs, sizeof *all));
    if (form == 1) BOTH(llcl_try_alltoall(world, all, theirs, sizeof *all, &done.then));
    for (int i = 0; i < size; ++i) REQUIRE(theirs[i] == 10 * i + rank);

    /* Rank i has i + 1 bytes, and sends i + 1 to each. */
    size_t bytes[MOST_RANKS], sent[MOST_RANKS];
    char block[MOST_RANKS * MOST_RANKS], blocks[MOST_RANKS * MOST_RANKS];
    size_t at = 0;
    for (int i = 0; i < size; ++i) bytes[i] = (size_t)i + 1, sent[i] = (size_t)rank + 1;
    memset(block, 'a' + rank, sizeof block);
    for (int to_all = 0; to_all < 2; ++to_all, at = 0) {
      if (!to_all && form == 0) OK(llcl_allgatherv(world, block, blocks, bytes));
      if (!to_all && form == 1) BOTH(llcl_try_allgatherv(world, block, blocks, bytes, &done.then));
      if (to_all && form == 0) OK(llcl_alltoallv(world, block, sent, blocks, bytes));
      if (to_all && form == 1) {
        BOTH(llcl_try_alltoallv(world, block, sent, blocks, bytes, &done.then));
      }
      for (int i = 0; i < size; ++i, at += (size_t)i) {
        REQUIRE(blocks[at] == 'a' + i && blocks[at + (size_t)i] == 'a' + i);
      }
      memset(blocks, 0, sizeof blocks);
    }
  }
  OK(llcl_barrier(world));
  BOTH(llcl_try_barrier(world, &done.then));
}

static void multiply(void* to, const void* from) {
  *(short*)to = (short)(*(short*)to * *(const short*)from);
}
static void longest(void* to, const void* from) {
  if (((const long*)from)[1] > ((const long*)to)[1]) memcpy(to, from, 2 * sizeof(long));
}

#define SUMS(T, TYPE)                                                           \
  do {                                                                          \
    const T mine[2] = {(T)rank, (T)2};                                          \
    T sums[2] = {0, 0};                                                         \
    const llcl_combination add = {.type = TYPE, .op = LLCL_ADD};                \
    OK(llcl_allreduce(world, mine, sums, 2, &add));                             \
    REQUIRE(sums[0] == (T)(size * (size - 1) / 2) && sums[1] == (T)(2 * size)); \
  } while (0)

static void check_reductions(void) {
  SUMS(int32_t, LLCL_I32);
  SUMS(uint32_t, LLCL_U32);
  SUMS(int64_t, LLCL_I64);
  SUMS(uint64_t, LLCL_U64);
  SUMS(float, LLCL_F32);
  SUMS(double, LLCL_F64);
  const llcl_combination add = {.type = LLCL_I32, .op = LLCL_ADD};
  const llcl_combination maximum = {.type = LLCL_I32, .op = LLCL_MAX};
  const int32_t mine[MOST_RANKS] = {rank, 1, 1, 1, 1, 1, 1, 1};
  int32_t result[MOST_RANKS] = {0};
  OK(llcl_reduce(world, mine, rank == size - 1 ? result : NULL, 1, &maximum, size - 1));
  REQUIRE(rank != size - 1 || result[0] == size - 1);
  BOTH(llcl_try_reduce(world, mine, result, 1, &add, 0, &done.then));
  REQUIRE(rank != 0 || result[0] == size * (size - 1) / 2);
  BOTH(llcl_try_allreduce(world, mine, result, 2, &add, &done.then));
  REQUIRE(result[1] == size);
  OK(llcl_scan(world, mine, result, 2, &add));
  REQUIRE(result[0] == rank * (rank + 1) / 2 && result[1] == rank + 1);
  BOTH(llcl_try_scan(world, mine, result, 2, &maximum, &done.then));
  REQUIRE(result[0] == rank && result[1] == 1);
  size_t counts[MOST_RANKS];
  for (int i = 0; i < size; ++i) counts[i] = 1;
  OK(llcl_reduce_scatter(world, mine, result, counts, &add));
  REQUIRE(result[0] == (rank == 0 ? size * (size - 1) / 2 : size));
  BOTH(llcl_try_reduce_scatter(world, mine, result, counts, &maximum, &done.then));
  REQUIRE(result[0] == (rank == 0 ? size - 1 : 1));

  /* Operations of the program's own. */
  const llcl_combination product = {.combine = multiply, .element_bytes = sizeof(short)};
  const short two = 2;
  short power = 0;
  OK(llcl_allreduce(world, &two, &power, 1, &product));
  REQUIRE(power == 1 << size);
  const llcl_combination by_length = {.combine = longest, .element_bytes = 2 * sizeof(long)};
  const long pair[2] = {rank, 10 - rank};
  long found[2] = {-1, -1};
  OK(llcl_allreduce(world, pair, found, 1, &by_length));
  REQUIRE(found[0] == 0 && found[1] == 10);

  llcl_combination wrong = {.type = LLCL_I32, .op = LLCL_SWAP};
  EXPECT(LLCL_INVALID, llcl_allreduce(world, mine, result, 1, &wrong));
  wrong.op = LLCL_AND, wrong.type = LLCL_F32;
  EXPECT(LLCL_BAD_RANGE, llcl_allreduce(world, mine, result, 1, &wrong));
  wrong.type = (llcl_type)77;
  EXPECT(LLCL_INVALID, llcl_scan(world, mine, result, 1, &wrong));
  wrong.combine = multiply, wrong.element_bytes = 3;
  EXPECT(LLCL_BAD_RANGE, llcl_reduce(world, mine, result, 1, &wrong, 0));
  EXPECT(LLCL_INVALID, llcl_allreduce(world, mine, result, 1, NULL));
  EXPECT(LLCL_INVALID, llcl_allreduce(world, NULL, result, 1, &add));
  EXPECT(LLCL_BAD_RANGE, llcl_allreduce(world, mine, NULL, 1, &add));
  EXPECT(LLCL_BAD_RANGE, llcl_reduce(world, mine, result, 1, &add, size));
  EXPECT(LLCL_INVALID, llcl_reduce_scatter(world, mine, result, NULL, &add));
}

static void check_making(void) {
  llcl_team *part, *backward, *host, *leaders, *none = world;
  REQUIRE(llcl_team_rank(world) == rank && llcl_team_size(world) == size);
  REQUIRE(llcl_member(world, size) == -1 && llcl_member(world, -1) == -1);
  REQUIRE(llcl_team_rank(NULL) == -1 && llcl_team_size(NULL) == -1 && llcl_member(NULL, 0) == -1);

  /* Even and odd ranks, backwards. */
  OK(llcl_split(world, rank % 2, -rank, &part));
  const int members = llcl_team_size(part);
  REQUIRE(members == (size + 1 - rank % 2) / 2 && llcl_member(part, llcl_team_rank(part)) == rank);
  REQUIRE(members < 2 || llcl_member(part, 0) > llcl_member(part, 1));
  int sum = 0;
  OK(llcl_allreduce(part, &(int){1}, &sum, 1, &(llcl_combination){.type = LLCL_I32}));
  REQUIRE(sum == members);
  OK(llcl_team_free(part));

  int ranks[MOST_RANKS];
  for (int i = 0; i < size; ++i) ranks[i] = size - 1 - i;
  OK(llcl_team_of(world, ranks, (size_t)size, &backward));
  REQUIRE(llcl_team_rank(backward) == size - 1 - rank);
  int root = rank;
  OK(llcl_broadcast(backward, &root, sizeof root, 0));
  REQUIRE(root == size - 1);

  /* Both leave the end of the job to free them. */
  OK(llcl_host_team(world, &host));
  OK(llcl_leaders(world, &leaders));
  /* By TCP alone each rank counts as a host. */
  REQUIRE(llcl_team_size(host) * llcl_team_size(leaders) == size);
  REQUIRE((llcl_team_rank(leaders) >= 0) == (llcl_team_rank(host) == 0));
  if (llcl_team_rank(leaders) < 0) EXPECT(LLCL_BAD_RANGE, llcl_barrier(leaders));

  EXPECT(LLCL_INVALID, llcl_team_of(world, ranks, 0, &none));
  EXPECT(LLCL_INVALID, llcl_team_of(world, (int[]){0, 0}, 2, &none));
  EXPECT(LLCL_INVALID, llcl_team_of(world, (int[]){size}, 1, &none));
  EXPECT(LLCL_INVALID, llcl_team_of(NULL, ranks, 1, &none));
  EXPECT(LLCL_INVALID, llcl_team_of(world, ranks, 1, NULL));
  EXPECT(LLCL_INVALID, llcl_split(NULL, 0, 0, &none));
  EXPECT(LLCL_INVALID, llcl_split(world, 0, 0, NULL));
  EXPECT(LLCL_INVALID, llcl_host_team(NULL, &none));
  EXPECT(LLCL_INVALID, llcl_team_free(world));
  OK(llcl_team_free(NULL));
  REQUIRE(llcl_world(NULL) == NULL);

  EXPECT(LLCL_INVALID, llcl_barrier(NULL));
  EXPECT(LLCL_INVALID, llcl_broadcast(world, NULL, 1, 0));
  EXPECT(LLCL_BAD_RANGE, llcl_broadcast(world, ranks, 4, size));
  EXPECT(LLCL_BAD_RANGE, llcl_try_broadcast(world, ranks, 4, -1, &done.then));
  EXPECT(LLCL_INVALID, llcl_allgather(world, ranks, ranks, SIZE_MAX / 2));
  EXPECT(LLCL_BAD_RANGE, llcl_allgather(world, ranks, NULL, 4));
  EXPECT(LLCL_INVALID, llcl_allgatherv(world, ranks, ranks, NULL));
  EXPECT(LLCL_INVALID, llcl_alltoallv(world, ranks, NULL, ranks, NULL));

  /* A team whose members disagree cannot be used any more; the others can. */
  if (size == 2) {
    char memory[16];
    EXPECT(LLCL_DISAGREEMENT, llcl_allgather(backward, ranks, memory, rank == 0 ? 4 : 8));
    REQUIRE(strncmp(llcl_error(), "llcl_allgather: ", 16) == 0 && strlen(llcl_error()) > 30);
  }
}

void check_teams(void) {
  world = llcl_world(job);
  check_blocks();
  check_reductions();
  check_making();
}
