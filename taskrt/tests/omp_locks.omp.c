/* Locks of tasks: each guards a counter of its own; a header includes <omp.h> first. */
#include <omp.h>
#include <stdio.h>

#include "taskrt/tests/omp_holder.h"

int main(void) {
  struct holder a = {.value = 0};
  int nested = 0;
  omp_init_lock(&a.lock);
  omp_init_nest_lock_with_hint(&a.nested, omp_sync_hint_contended);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(a, nested)
    {
      omp_set_lock(&a.lock);
      a.value++;
      omp_unset_lock(&a.lock);
      omp_set_nest_lock(&a.nested);
      /* Others run meanwhile, and want it. */
#pragma omp taskyield
      omp_set_nest_lock(&a.nested);
#pragma omp taskyield
      if (omp_test_nest_lock(&a.nested) == 3) nested++;
#pragma omp taskyield
      for (int times = 0; times < 3; times++) omp_unset_nest_lock(&a.nested);
    }
  }
  omp_destroy_nest_lock(&a.nested);
  omp_destroy_lock(&a.lock);
  const int right = a.value == 100 && nested == 100;
  puts(right ? "right" : "wrong");
  return !right;
}
