/* OpenMP's library, whose header comes before a header that includes it, too. */
#include <omp.h>
#include <stdio.h>

#include "taskrt/tests/omp_holder.h"

static int wrong;
#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      printf("%d: %s does not hold\n", __LINE__, #condition); \
      wrong = 1;                                              \
    }                                                         \
  } while (0)

int main(void) {
  omp_sched_t kind;
  int chunk, ids[1];
  omp_set_schedule(omp_sched_guided, 7);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_guided && chunk == 7);
  CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel());
  CHECK(omp_get_level() == 0 && omp_get_active_level() == 0 && omp_get_team_size(0) == 1);
  CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_ancestor_thread_num(1) == -1);
  CHECK(omp_get_max_threads() >= 1 && omp_get_thread_limit() >= omp_get_max_threads());
  CHECK(omp_get_max_active_levels() == 1 && omp_get_supported_active_levels() == 1);
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
