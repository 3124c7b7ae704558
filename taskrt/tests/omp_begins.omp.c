/* All members of a region begin the runtime together: the first dependencies of the program are theirs. Then
 * regions in tasks, and in regions, of a program whose runtime has begun. */
#include <omp.h>
#include <stdio.h>

enum { COUNT = 1024 };

/* The task is no part of the program's own flow, though member 0 creates it. */
static int regions_in_tasks(void) {
  int sums[8] = {0}, wrong = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int k = 0; k < 8; k++) {
#pragma omp task shared(sums) depend(inout : sums[k])
    {
      int sum = 0;
#pragma omp parallel for reduction(+ : sum)
      for (int i = 0; i < 100; i++) sum += i;
#pragma omp task depend(inout : sum) shared(sum)
      sum += k;
#pragma omp taskwait
      sums[k] = sum;
    }
  }
  for (int k = 0; k < 8; k++) wrong += sums[k] != 4950 + k;
  return wrong;
}

/* The thread of an inner region's member 0 is that of the outer region's member. */
static int mine;
#pragma omp threadprivate(mine)
static int regions_in_regions(void) {
  int wrong = 0;
  for (int levels = 1; levels <= 2; levels++) {
    omp_set_max_active_levels(levels);
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    {
      const int outer = omp_get_thread_num();
      mine = 10 * outer;
#pragma omp barrier
#pragma omp parallel num_threads(2) reduction(+ : wrong)
      {
        if (omp_get_thread_num() > 0) mine = -1;
#pragma omp barrier
        wrong += mine != (omp_get_thread_num() > 0 ? -1 : 10 * outer);
        wrong += omp_get_num_threads() != levels;
      }
#pragma omp barrier
      wrong += mine != 10 * outer;
    }
  }
  return wrong;
}

int main(void) {
  int wrong = 0;
#pragma omp parallel for num_threads(4)
  for (int i = 1; i < COUNT; i++) {
    int x, y, misses = 0;
#pragma omp task depend(inout : x) shared(x)
    x = i;
#pragma omp task depend(inout : y) shared(y)
    y = i;
#pragma omp taskwait depend(in : x)
    misses += x != i;
#pragma omp taskwait depend(in : x, y)
    misses += y != i || x != i;
#pragma omp atomic
    wrong += misses;
  }
  wrong += regions_in_tasks() + regions_in_regions();
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
