/* The paper's figure 2(a), completed to a program: global data on one node and dealt to all,
 * worked on by threads. Run: llclrun -n 4 figure2a */
#include <stdio.h>
#include <stdlib.h>

#include "dsm/sms.h"

#define N 1000000
#define NZ 64
#define NY 32
#define NX 128

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);

  int* array = sms_alloc(sizeof(int) * N, 0);
  const size_t dim[3] = {NZ, NY, NX};
  const int div[3] = {sms_nprocs, 1, 1};
  double(*grid)[NY][NX] = sms_mapalloc(3, dim, sizeof(double), div, 0, sms_nprocs);

  if (sms_pid == 0) { /* Each node may do something else. */
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
      array[i] = i;
    }
  }
  /* Each writes its own part. */
  const int start = (int)((long)NZ * sms_pid / sms_nprocs);
  const int end = (int)((long)NZ * (sms_pid + 1) / sms_nprocs);
#pragma omp parallel for
  for (int z = start; z < end; z++) {
    for (int y = 0; y < NY; y++) {
      for (int x = 0; x < NX; x++) grid[z][y][x] = z * 10000 + y * 100 + x;
    }
  }
  sms_barrier();

  /* All may read all of it. */
  const size_t from[3] = {0, 0, 0};
  sms_preload_array(grid, 3, dim, sizeof(double), from, dim, SMS_READ);
  long wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
  for (int i = 0; i < N; i++) {
    wrong += array[i] != i;
  }
#pragma omp parallel for reduction(+ : wrong)
  for (int z = 0; z < NZ; z++) {
    for (int y = 0; y < NY; y++) {
      for (int x = 0; x < NX; x++) wrong += grid[z][y][x] != z * 10000 + y * 100 + x;
    }
  }
  printf("process %d of %d: %ld of %d elements are wrong\n", sms_pid, sms_nprocs, wrong,
         N + NZ * NY * NX);
  sms_shutdown();
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
