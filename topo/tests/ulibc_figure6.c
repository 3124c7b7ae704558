/* [ULIBC14] figure 6, completed to a whole program: the Triad of STREAM with
 * local arrays. Mended typos: 1A is lA, the loop's [i] is [j], a 7 is a brace.
 * Prints the number of elements that are wrong. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "topo/ulibc.h"

static long min(long a, long b) { return a < b ? a : b; }

int main(int argc, char **argv) {
  const double scalar = 3.0;
  long n = argc > 1 ? atol(argv[1]) : 1000003;
  long N[MAX_NODES];
  double *A[MAX_NODES], *B[MAX_NODES], *C[MAX_NODES];
  long unplaced = 0, wrong = 0, total = 0;

  set_affinity_policy(SCATTER);
  for (int k = 0; k < get_online_numa_nodes(); ++k) {
    N[k] = n / get_online_numa_nodes() + (k < n % get_online_numa_nodes());
    A[k] = lmalloc(sizeof(double) * N[k], k);
    B[k] = lmalloc(sizeof(double) * N[k], k);
    C[k] = lmalloc(sizeof(double) * N[k], k);
    if (A[k] == NULL || B[k] == NULL || C[k] == NULL) {
      fprintf(stderr, "lmalloc: %s\n", ulibc_error());
      return 2;
    }
    for (long i = 0; i < N[k]; ++i) {
      B[k][i] = (double)i;
      C[k][i] = (double)k;
    }
  }
#pragma omp parallel reduction(+ : unplaced)
  {
    int id = omp_get_thread_num();
    int procid = get_numa_procid(id);
    if (set_affinity(procid) != 0) ++unplaced;
    int nodeid = get_numa_nodeid(id);
    int coreid = get_numa_ordcoreid(id);
    int lnp = get_numa_online_cores(nodeid);
    double *lA = A[nodeid], *lB = B[nodeid], *lC = C[nodeid];
    const long q = N[nodeid] / lnp, r = N[nodeid] % lnp;
    const long ls = q * (coreid + 0) + min(r, coreid + 0);
    const long le = q * (coreid + 1) + min(r, coreid + 1);
    for (long j = ls; j < le; ++j) {
      lA[j] = lB[j] + scalar * lC[j];
    }
    clear_affinity();
  }
  for (int k = 0; k < get_online_numa_nodes(); ++k) {
    for (long i = 0; i < N[k]; ++i) wrong += A[k][i] != (double)i + scalar * k;
    total += N[k];
    lfree(A[k]);
    lfree(B[k]);
    lfree(C[k]);
  }
  printf("nodes %d threads %d elements %ld unplaced %ld wrong %ld\n", get_online_numa_nodes(),
         omp_get_max_threads(), total, unplaced, wrong);
  return wrong != 0 || total != n;
}
