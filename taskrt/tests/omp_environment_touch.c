#include <string.h>

#include "taskrt/tests/omp_environment.h"

long touch(size_t bytes) {
  volatile char there[bytes + 1];
  for (size_t i = 0; i < bytes; i += 4096) there[i] = 1;
  return (long)bytes;
}
