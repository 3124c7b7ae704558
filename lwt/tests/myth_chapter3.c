/* The paper's chapter 4 with the functions of its chapter 3: the depth of each
 * task as its thread-specific data, and a steal function that looks at some
 * candidates without a lock and takes the shallowest. Counts leaves of a tree. */
#include <stdio.h>
#include <stdlib.h>

#include "lwt/myth.h"

#define CANDIDATES 4

static myth_thread_t steal_shallowest(int rank) {
  int best = -1, least = 1 << 30;
  for (int i = 0; i < CANDIDATES; ++i) {
    int victim = myth_wsapi_rand();
    int depth;
    size_t size = sizeof depth;
    if (victim == rank) continue;
    if (myth_wsapi_runqueue_peek(victim, &depth, &size) == NULL || size != sizeof depth) continue;
    if (depth < least) {
      least = depth;
      best = victim;
    }
  }
  return best < 0 ? NULL : myth_wsapi_runqueue_take(best, NULL, NULL);
}

static int levels;

static void* count_leaves(void* arg) {
  int depth = *(int*)myth_wsapi_get_hint_ptr(NULL);
  long leaves = 0;
  (void)arg;
  if (depth == levels) return (void*)1L;
  myth_thread_t child[2];
  for (int i = 0; i < 2; ++i) {
    int next = depth + 1;
    myth_thread_attr_t attr;
    myth_thread_attr_init(&attr);
    attr.custom_data = &next;
    attr.custom_data_size = sizeof next;
    if (myth_create_ex(&child[i], &attr, count_leaves, NULL) != 0) exit(1);
  }
  for (int i = 0; i < 2; ++i) {
    void* result;
    myth_join(child[i], &result);
    leaves += (long)result;
  }
  return (void*)leaves;
}

int main(int argc, char** argv) {
  levels = argc > 1 ? atoi(argv[1]) : 12;
  if (myth_init() != 0) return 1;
  myth_wsapi_set_stealfunc(steal_shallowest);
  int depth = 0;
  myth_thread_attr_t attr;
  myth_thread_attr_init(&attr);
  attr.custom_data = &depth;
  attr.custom_data_size = sizeof depth;
  myth_thread_t root;
  void* leaves;
  if (myth_create_ex(&root, &attr, count_leaves, NULL) != 0) return 1;
  myth_join(root, &leaves);
  printf("workers %d leaves %ld\n", myth_get_num_workers(), (long)leaves);
  myth_fini();
  return 0;
}
