/* A header of a program that uses OpenMP's library. */
#ifndef TASKRT_TESTS_OMP_HOLDER_H_
#define TASKRT_TESTS_OMP_HOLDER_H_

#include <omp.h>

struct holder {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  int value;
};

#endif /* TASKRT_TESTS_OMP_HOLDER_H_ */
