/* The paper's Program 2, a block Cholesky factorization with gemm on a device, completed to a
 * program: ompc translates it to C over taskrt/ompc.h. A[k][i] is the block of row i and column k.
 * Run: OMPC_DEVICES=sim program2 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taskrt/ompc.h"

void potrf(float* a, int ts, int ld) {
  for (int j = 0; j < ts; j++) {
    for (int k = 0; k < j; k++) {
      for (int i = j; i < ts; i++) a[i * ld + j] -= a[i * ld + k] * a[j * ld + k];
    }
    const float root = sqrtf(a[j * ld + j]);
    for (int i = j; i < ts; i++) a[i * ld + j] /= root;
  }
}
void trsm(const float* l, float* b, int ts, int ld) {
  for (int i = 0; i < ts; i++) {
    for (int j = 0; j < ts; j++) {
      for (int k = 0; k < j; k++) b[i * ld + j] -= b[i * ld + k] * l[j * ld + k];
      b[i * ld + j] /= l[j * ld + j];
    }
  }
}
void gemm(float* A, float* B, float* C, unsigned int SIZE) {
  for (unsigned int i = 0; i < SIZE; i++) {
    for (unsigned int j = 0; j < SIZE; j++) {
      for (unsigned int k = 0; k < SIZE; k++) C[i * SIZE + j] -= A[i * SIZE + k] * B[j * SIZE + k];
    }
  }
}
void syrk(float* a, float* c, int ts, int ld) {
  (void)ld;
  gemm(a, a, c, (unsigned int)ts);
}

// clang-format off
#pragma omp declare variant(void gemm(float *A, float *B, float *C, unsigned int SIZE)) match(context=(target) device=(target_device_type))
extern void target_gemm(float *A, float *B, float *C, unsigned int SIZE);

void cholesky(const int ts, const int nt, float* A[nt][nt])
{
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < nt; k++) {
#pragma omp task depend(out:A[k][k])
    { potrf(A[k][k], ts, ts); }
    for (int i = k + 1; i < nt; i++) {
#pragma omp task depend(in:A[k][k]) depend(out:A[k][i])
      { trsm(A[k][k], A[k][i], ts, ts); }
    }
    for (int i = k + 1; i < nt; i++) {
      for (int j = k + 1; j < i; j++) {
#pragma omp target depend(in:A[k][i], A[k][j]) depend(inout:A[j][i]) map(in:A[k][i][:]) \
    map(in:A[k][j][:]) map(inout:A[j][i][:]) device(target_device_type) async
        { gemm(A[k][i], A[k][j], A[j][i], ts); }
      }
#pragma omp task depend(in:A[k][i]) depend(out:A[i][i])
      { syrk(A[k][i], A[i][i], ts, ts); }
    }
  }
#pragma omp taskwait
}
// clang-format on

/* Of a device that has no compiler of its own: the simulated one. */
void target_gemm(float* A, float* B, float* C, unsigned int SIZE) { gemm(A, B, C, SIZE); }

enum { ts = 16, nt = 8, n = ts * nt };

static float element(int row, int column) {
  return row == column ? n : 1.0f / (float)(1 + abs(row - column));
}

static void end_of(int answer) {
  if (answer == 0) return;
  fprintf(stderr, "%s\n", ompc_error());
  exit(2);
}

int main(void) {
  static float* A[nt][nt];
  end_of(ompc_init(NULL));
  for (int k = 0; k < nt; k++) {
    for (int i = k; i < nt; i++) {
      float* const block = malloc(sizeof(float[ts][ts]));
      for (int x = 0; x < ts * ts; x++) block[x] = element(i * ts + x / ts, k * ts + x % ts);
      A[k][i] = block;
      /* What [:] is all of. */
      end_of(ompc_target_map(block, sizeof(float[ts][ts])));
    }
  }
  cholesky(ts, nt, A);

  static float all[n * n];
  for (int x = 0; x < n * n; x++) all[x] = element(x / n, x % n);
  potrf(all, n, n);
  float most = 0;
  for (int row = 0; row < n; row++) {
    for (int column = 0; column <= row; column++) {
      const float* const block = A[column / ts][row / ts];
      const float value = block[row % ts * ts + column % ts];
      most = fmaxf(most, fabsf(value - all[row * n + column]));
    }
  }
  struct ompc_counts counts;
  end_of(ompc_get_counts(&counts));
  printf("%lu tasks, %lu on devices; %lu copies to devices, %lu back; %s\n", counts.tasks,
         counts.tasks_on_devices, counts.host_to_device, counts.device_to_host,
         most < 1e-4f ? "right" : "wrong");
  for (int k = 0; k < nt; k++) {
    for (int i = k; i < nt; i++) {
      end_of(ompc_target_unmap(A[k][i]));
      free(A[k][i]);
    }
  }
  end_of(ompc_finish());
  return most < 1e-4f ? EXIT_SUCCESS : EXIT_FAILURE;
}
