/* The C program of README.md. */
#include <stdio.h>

#include "llcl/c.h"

/* Every rank adds its number to a word of rank 0's. */
int main(void) {
  llcl_job* job;
  llcl_region* word;
  llcl_remote words[64];
  if (llcl_join(NULL, &job) != LLCL_OK) return puts(llcl_error()), 1;
  if (llcl_allocate(job, 8, &word) != LLCL_OK) return puts(llcl_error()), 1;
  if (llcl_exchange(job, word, words, 64) != LLCL_OK) return puts(llcl_error()), 1;
  const llcl_update add = {
      .there = words, .type = LLCL_I64, .op = LLCL_ADD, .operand.i64 = llcl_rank(job)};
  if (llcl_atomic(job, &add, NULL) != LLCL_OK) return puts(llcl_error()), 1;
  if (llcl_barrier(llcl_world(job)) != LLCL_OK) return puts(llcl_error()), 1;
  if (llcl_rank(job) == 0) printf("%ld\n", *(long*)llcl_start(word));
  return llcl_leave(job) != LLCL_OK;
}
