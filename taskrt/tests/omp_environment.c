/* By Bazel's rule, of two files, a header with a directive, and a macro with one: a task uses the
 * MiB of stack that argument 1 says, in a team of so many threads as argument 2. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taskrt/tests/omp_environment.h"

#if !defined(_OPENMP) || !defined(MOST_LOOPS)
#error "an OpenMP program, with the defines of its target"
#endif

int main(int argc, char** argv) {
  const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 0) << 20;
  const int threads = argc > 2 ? atoi(argv[2]) : 2;
  int members = 0, sum = 0;
  long touched = 0;
#pragma omp parallel
  {
    COUNT(members);
#pragma omp single
#pragma omp task shared(touched)
    touched = touch(bytes);
  }
  for_each_of(MOST_LOOPS, &sum);
  const int is_right = members == threads && touched == (long)bytes && sum == 4950;
  puts(is_right ? "right" : "wrong");
  return !is_right;
}
