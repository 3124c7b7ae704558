/* OpenMP's library, whose header comes before a header that includes it, too. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "taskrt/tests/omp_holder.h"

static int wrong;
#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      printf("%d: %s does not hold\n", __LINE__, #condition); \
      wrong = 1;                                              \
    }                                                         \
  } while (0)

static void memory(void) {
  const omp_alloctrait_t traits[] = {
      {omp_atk_alignment, 256}, {omp_atk_pool_size, 1000}, {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, traits);
  char* first = omp_alloc(600, pool);
  CHECK(first != NULL && (size_t)first % 256 == 0 && omp_alloc(600, pool) == NULL);
  omp_free(first, pool);
  first = omp_calloc(2, 300, pool);
  CHECK(first != NULL && first[0] == 0 && first[599] == 0);
  first[5] = 7;
  first = omp_realloc(first, 2000, omp_default_mem_alloc, pool);
  CHECK(first != NULL && first[5] == 7 && first[599] == 0);
  omp_free(first, omp_null_allocator);
  first = omp_alloc(1000, pool);
  CHECK(first != NULL);
  omp_free(first, pool);
  omp_destroy_allocator(pool);
  char* const aligned = omp_aligned_alloc(4096, 10, omp_null_allocator);
  CHECK((size_t)aligned % 4096 == 0 && omp_aligned_alloc(3, 10, omp_null_allocator) == NULL);
  omp_free(aligned, omp_null_allocator);

  int from[3][4], to[2][5] = {{0}};
  for (int i = 0; i < 12; i++) from[i / 4][i % 4] = i;
  const size_t volume[] = {2, 2}, into[] = {0, 3}, out[] = {1, 1}, to_size[] = {2, 5}, from_size[] = {3, 4};
  CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 2, volume, into, out, to_size, from_size, 0, 0) == 0);
  CHECK(to[0][3] == 5 && to[0][4] == 6 && to[1][3] == 9 && to[1][4] == 10 && to[1][2] == 0);
  CHECK(omp_target_memcpy(to, from, sizeof(int), sizeof(int), 0, 0, 0) == 0 && to[0][1] == 0);
  CHECK(omp_target_memcpy(NULL, from, 1, 0, 0, 0, 0) != 0);
  CHECK(omp_target_is_present(from, omp_get_initial_device()));
}

static void affinity(void) {
  char text[64];
  omp_set_affinity_format("%0.4n|%3N|%{nesting_level}|%%");
  CHECK(omp_get_affinity_format(text, sizeof text) == strlen("%0.4n|%3N|%{nesting_level}|%%"));
  CHECK(omp_capture_affinity(text, sizeof text, NULL) == 12);
  CHECK(strcmp(text, "0000|1  |0|%") == 0);
  CHECK(omp_capture_affinity(text, 4, "abcdef") == 6 && strcmp(text, "abc") == 0);
}

int main(void) {
  memory();
  affinity();
  omp_sched_t kind;
  int chunk, ids[1];
  omp_set_schedule(omp_sched_guided, 7);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_guided && chunk == 7);
  CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel());
  CHECK(omp_get_level() == 0 && omp_get_active_level() == 0 && omp_get_team_size(0) == 1);
  CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_ancestor_thread_num(1) == -1);
  CHECK(omp_get_max_threads() >= 1 && omp_get_thread_limit() >= omp_get_max_threads());
  CHECK(omp_get_max_active_levels() == 1 && omp_get_supported_active_levels() > 1);
  CHECK(omp_get_proc_bind() == omp_proc_bind_false && omp_get_num_places() == 0);
  omp_get_place_proc_ids(0, ids);
  CHECK(omp_get_place_num() == -1 && omp_get_partition_num_places() == 0);
  CHECK(omp_get_device_num() == omp_get_initial_device() && omp_is_initial_device());
  omp_set_num_teams(3);
  omp_set_teams_thread_limit(5);
  CHECK(omp_get_max_teams() == 3 && omp_get_teams_thread_limit() == 5);
  CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
  CHECK(!omp_get_cancellation() && !omp_in_final() && omp_get_max_task_priority() > 0);
  CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
  CHECK(omp_get_wtime() > 0 && omp_get_wtick() > 0);
  omp_display_env(0);
  puts(wrong ? "wrong" : "right");
  return wrong;
}
