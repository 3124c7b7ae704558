/* A SHMEM program: a token goes round the PEs, and they add up their cubes. */
#include <shmem.h>
#include <stdio.h>

/* Symmetric, as all global and static variables. */
static long token, mine, sum;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), size = shmem_n_pes();
  if (me == 0) shmem_long_p(&token, 1, 1 % size);
  shmem_long_wait_until(&token, SHMEM_CMP_NE, 0);
  if (me != 0) shmem_long_p(&token, token + 1, (me + 1) % size);

  long* const cubes = shmem_malloc((size_t)size * sizeof *cubes);
  mine = (me + 1) * (me + 1) * (me + 1);
  for (int pe = 0; pe < size; ++pe) shmem_put(&cubes[me], &mine, 1, pe);
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
  shmem_atomic_add(&token, 10, 0);
  shmem_barrier_all();
  if (me == 0) {
    printf("%d PEs: ring %ld of %d, sum %ld, first %ld, last %ld\n", size, token - 10 * size, size,
           sum, cubes[0], shmem_g(&cubes[size - 1], size - 1));
  }
  shmem_free(cubes);
  shmem_finalize();
  return 0;
}
