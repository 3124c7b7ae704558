/* SHMEM's teams, contexts, active sets and collective operations. */
#include <stdlib.h>
#include <string.h>

#include "llcl/c.h"
#include "shmem.h"
#include "shmem_parts.h"

static struct shmemi_team* sets; /* that the program has used */

int shmem_team_my_pe(shmem_team_t team) { return team == NULL ? -1 : llcl_team_rank(team->team); }
int shmem_team_n_pes(shmem_team_t team) { return team == NULL ? -1 : llcl_team_size(team->team); }
int shmem_team_translate_pe(shmem_team_t from, int other, shmem_team_t to) {
  const int in_world = from == NULL ? -1 : llcl_member(from->team, other);
  for (int i = 0; to != NULL && in_world >= 0 && i < llcl_team_size(to->team); ++i) {
    if (llcl_member(to->team, i) == in_world) return i;
  }
  return -1;
}
int shmem_team_sync(shmem_team_t team) {
  return team == NULL || llcl_barrier(team->team) != LLCL_OK;
}
int shmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                             const shmem_team_config_t* config, long mask, shmem_team_t* part) {
  *part = SHMEM_TEAM_INVALID;
  if (parent == NULL || size <= 0) return 1;
  int* const ranks = malloc((size_t)size * sizeof(int));
  int is_member = 0, status = 0;
  for (int i = 0; i < size; ++i) {
    ranks[i] = llcl_member(parent->team, start + i * stride);
    is_member |= ranks[i] == shmem_my_pe();
    status |= ranks[i] < 0;
  }
  if (is_member && status == 0) {
    *part = calloc(1, sizeof **part);
    if (config != NULL && mask != 0) (*part)->config = *config;
    shmemi_check(llcl_team_of(parent->team, ranks, (size_t)size, &(*part)->team));
  }
  free(ranks);
  return status;
}
int shmem_team_split_2d(shmem_team_t parent, int columns, const shmem_team_config_t* row_config,
                        long row_mask, shmem_team_t* row, const shmem_team_config_t* column_config,
                        long column_mask, shmem_team_t* column) {
  const int size = shmem_team_n_pes(parent), mine = shmem_team_my_pe(parent);
  *row = *column = SHMEM_TEAM_INVALID;
  if (mine < 0 || columns <= 0) return 1;
  if (columns > size) columns = size;
  const int first = mine / columns * columns, left = size - first, at = mine % columns;
  return shmem_team_split_strided(parent, first, 1, left < columns ? left : columns, row_config,
                                  row_mask, row) |
         shmem_team_split_strided(parent, at, columns, (size - at + columns - 1) / columns,
                                  column_config, column_mask, column);
}
int shmem_team_get_config(shmem_team_t team, long mask, shmem_team_config_t* config) {
  if (team == NULL) return 1;
  if (mask != 0) *config = team->config;
  return 0;
}
void shmem_team_destroy(shmem_team_t team) {
  if (team == NULL || team == &shmemi_world || team == &shmemi_shared) return;
  llcl_team_free(team->team);
  free(team);
}
int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) {
  (void)options;
  return (*ctx = team) == NULL;
}
int shmem_ctx_create(long options, shmem_ctx_t* ctx) {
  return shmem_team_create_ctx(&shmemi_world, options, ctx);
}
int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) { return (*team = ctx) == NULL; }
void shmem_ctx_destroy(shmem_ctx_t ctx) { (void)ctx, shmem_quiet(); }
void shmem_ctx_quiet(shmem_ctx_t ctx) { (void)ctx, shmem_quiet(); }
void shmem_ctx_fence(shmem_ctx_t ctx) { (void)ctx, shmem_quiet(); }
shmem_team_t shmemi_set(int start, int log2_stride, int size) {
  const int stride = 1 << log2_stride;
  for (shmem_team_t set = sets; set != NULL; set = set->next) {
    if (set->start == start && set->stride == stride && set->size == size) return set;
  }
  shmem_team_t made;
  if (shmem_team_split_strided(&shmemi_world, start, stride, size, NULL, 0, &made) != 0 || !made) {
    shmemi_fail("an active set has no such PE, or not this one");
  }
  made->start = start, made->stride = stride, made->size = size;
  made->next = sets;
  return sets = made;
}

int shmemi_broadcast(shmem_team_t team, void* to, const void* from, size_t bytes, int root,
                     int also) {
  const int is_root = llcl_team_rank(team->team) == root;
  if (is_root && also && to != from) memmove(to, from, bytes);
  shmemi_check(llcl_broadcast(team->team, is_root ? (void*)from : to, bytes, root));
  return 0;
}
int shmemi_fcollect(shmem_team_t team, void* to, const void* from, size_t bytes) {
  shmemi_check(llcl_allgather(team->team, from, to, bytes));
  return 0;
}
int shmemi_collect(shmem_team_t team, void* to, const void* from, size_t bytes) {
  size_t* const sizes = malloc((size_t)llcl_team_size(team->team) * sizeof(size_t));
  shmemi_check(llcl_allgather(team->team, &bytes, sizes, sizeof bytes));
  shmemi_check(llcl_allgatherv(team->team, from, to, sizes));
  free(sizes);
  return 0;
}
int shmemi_alltoall(shmem_team_t team, void* to, const void* from, ptrdiff_t to_stride,
                    ptrdiff_t from_stride, size_t count, size_t bytes) {
  const size_t size = (size_t)llcl_team_size(team->team), elements = count * size;
  char *const sent = malloc(2 * elements * bytes + 1), *const got = sent + elements * bytes;
  for (size_t i = 0; i < elements; ++i) {
    memcpy(sent + i * bytes, (const char*)from + i * (size_t)from_stride * bytes, bytes);
  }
  shmemi_check(llcl_alltoall(team->team, sent, got, count * bytes));
  for (size_t i = 0; i < elements; ++i) {
    memcpy((char*)to + i * (size_t)to_stride * bytes, got + i * bytes, bytes);
  }
  free(sent);
  return 0;
}
int shmemi_reduce(shmem_team_t team, void* to, const void* from, size_t count, size_t bytes,
                  void (*combine)(void*, const void*)) {
  const llcl_combination how = {.combine = combine, .element_bytes = bytes};
  void* const mine = malloc(count * bytes + 1); /* `to` may be `from`. */
  memcpy(mine, from, count * bytes);
  shmemi_check(llcl_allreduce(team->team, mine, to, count, &how));
  free(mine);
  return 0;
}
