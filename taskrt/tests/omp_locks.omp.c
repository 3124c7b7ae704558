/* Locks of tasks; a header includes <omp.h> first. */
#include <omp.h>
#include <stdio.h>

#include "taskrt/tests/omp_holder.h"

int main(void) {
  struct holder a = {.value = 0};
  omp_init_lock(&a.lock);
  omp_init_nest_lock_with_hint(&a.nested, omp_sync_hint_contended);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(a)
    {
      omp_set_lock(&a.lock);
      a.value++;
      omp_unset_lock(&a.lock);
      omp_set_nest_lock(&a.nested);
      /* Others run meanwhile, and want it. */
#pragma omp taskyield
      omp_set_nest_lock(&a.nested);
#pragma omp taskyield
      if (omp_test_nest_lock(&a.nested) == 3) a.value++;
#pragma omp taskyield
      for (int times = 0; times < 3; times++) omp_unset_nest_lock(&a.nested);
    }
  }
  omp_destroy_nest_lock(&a.nested);
  omp_destroy_lock(&a.lock);
  puts(a.value == 200 ? "right" : "wrong");
  return a.value != 200;
}
