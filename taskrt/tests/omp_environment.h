#ifndef TASKRT_TESTS_OMP_ENVIRONMENT_H_
#define TASKRT_TESTS_OMP_ENVIRONMENT_H_

#include <stddef.h>

#define COUNT(variable) _Pragma("omp atomic") variable++

/* The number of bytes, for which it has had so many on its stack. */
long touch(size_t bytes);

static inline void for_each_of(int count, int* sum) {
  int mine = 0;
#pragma omp parallel for reduction(+ : mine)
  for (int i = 0; i < count; i++) mine += i;
  *sum = mine;
}

#endif
