/* The parts of the SHMEM library know each other by this. */
#ifndef LLCL_EXAMPLES_SHMEM_PARTS_H_
#define LLCL_EXAMPLES_SHMEM_PARTS_H_

#include <stddef.h>

#include "llcl/c.h"
#include "shmem.h"

struct shmemi_team {
  llcl_team* team;
  shmem_team_config_t config;
  int start, stride, size; /* of an active set */
  struct shmemi_team* next;
};

/* Ends all PEs, with a sentence. */
void shmemi_fail(const char* why);
void shmemi_check(llcl_status status);
/* `memory` is aligned to SHMEMI_HEAP_ALIGNMENT. */
#define SHMEMI_HEAP_ALIGNMENT ((size_t)16 << 20)
void shmemi_begin_heap(void* memory, size_t bytes);

#endif /* LLCL_EXAMPLES_SHMEM_PARTS_H_ */
