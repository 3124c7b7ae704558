/* The symmetric heap: all PEs make the same calls, so that each block has the same place on all. */
#include <stdint.h>
#include <string.h>

#include "shmem.h"
#include "shmem_parts.h"

/* A block of the heap; its bytes follow, up to the next block. */
typedef struct block {
  size_t bytes;
  size_t is_used;
  char to_64[48];
} block;

static char *heap, *heap_end;

void shmemi_begin_heap(void* memory, size_t bytes) {
  heap = memory;
  heap_end = heap + bytes;
  *(block*)memory = (block){.bytes = bytes - sizeof(block)};
}

/* The first block that has the bytes at the alignment, of 64 at least: the same on all PEs. */
static void* place(size_t alignment, size_t bytes) {
  if (bytes == 0 || bytes > (size_t)(heap_end - heap)) return NULL;
  bytes = (bytes + 63) / 64 * 64;
  for (char* at = heap; at < heap_end; at += sizeof(block) + ((block*)at)->bytes) {
    block *here = (block*)at, *next = here;
    if (here->is_used) continue;
    while ((char*)(next = (block*)(at + sizeof(block) + here->bytes)) < heap_end &&
           !next->is_used) {
      here->bytes += sizeof(block) + next->bytes;
    }
    const size_t gap = (alignment - (uintptr_t)(here + 1) % alignment) % alignment;
    if (here->bytes < gap + bytes) continue;
    if (gap != 0) {
      *(block*)(at + gap) = (block){.bytes = here->bytes - gap};
      here->bytes = gap - sizeof(block);
      here = (block*)(at + gap);
    }
    if (here->bytes > bytes) {
      *(block*)((char*)(here + 1) + bytes) = (block){.bytes = here->bytes - bytes - sizeof(block)};
      here->bytes = bytes;
    }
    here->is_used = 1;
    return here + 1;
  }
  return NULL;
}
void* shmem_align(size_t alignment, size_t bytes) {
  if (alignment == 0 || alignment > SHMEMI_HEAP_ALIGNMENT || (alignment & (alignment - 1)) != 0)
    return NULL;
  void* const memory = place(alignment < 64 ? 64 : alignment, bytes);
  shmem_barrier_all();
  return memory;
}
void* shmem_malloc(size_t bytes) { return shmem_align(64, bytes); }
void* shmem_malloc_with_hints(size_t bytes, long hints) {
  (void)hints;
  return shmem_malloc(bytes);
}
void* shmem_calloc(size_t count, size_t bytes) {
  const int fits = bytes == 0 || count <= SIZE_MAX / bytes;
  void* const memory = fits ? place(64, count * bytes) : NULL;
  if (memory != NULL) memset(memory, 0, count * bytes);
  shmem_barrier_all();
  return memory;
}
void shmem_free(void* memory) {
  shmem_barrier_all();
  if (memory != NULL) ((block*)memory - 1)->is_used = 0;
}
void* shmem_realloc(void* memory, size_t bytes) {
  void* const grown = bytes == 0 ? NULL : shmem_malloc(bytes);
  const size_t had = memory == NULL ? 0 : ((block*)memory - 1)->bytes;
  if (grown != NULL && memory != NULL) memcpy(grown, memory, had < bytes ? had : bytes);
  if (grown != NULL || bytes == 0) shmem_free(memory);
  return grown;
}
