/* The paper's Program 1, completed to a program: ompc translates it to C over taskrt/ompc.h.
 * Task C uses what A and B have computed, D what A and C have. */
#include <stdio.h>

enum { N = 20, SIZE = 100 };
static float A[N][SIZE], B[N][SIZE], C[N][SIZE], D[N][SIZE];

void taskA(float* a) {
  for (int x = 0; x < SIZE; x++) a[x] = (float)x;
}
void taskB(float* b) {
  for (int x = 0; x < SIZE; x++) b[x] = 2;
}
void taskC(const float* a, const float* b, float* c) {
  for (int x = 0; x < SIZE; x++) c[x] = a[x] * b[x];
}
void taskD(float* d) {
  const long i = (d - D[0]) / SIZE;
  for (int x = 0; x < SIZE; x++) d[x] = A[i][x] + C[i][x];
}

int main(void) {
#pragma omp parallel
  {
#pragma omp single
    {
      for (int i = 0; i < N; i++) {
#pragma omp task depend(out : A[i])
        taskA(A[i]);
#pragma omp task depend(out : B[i])
        taskB(B[i]);
#pragma omp task depend(in : A[i], B[i]) depend(out : C[i])
        taskC(A[i], B[i], C[i]);
#pragma omp task depend(in : A[i]) depend(in : C[i])
        taskD(D[i]);
      }
    }
#pragma omp taskwait
  }
  int wrong = 0;
  for (int i = 0; i < N; i++) {
    for (int x = 0; x < SIZE; x++) wrong += D[i][x] != (float)(3 * x);
  }
  printf("%d of %d elements are wrong\n", wrong, N * SIZE);
  return wrong != 0;
}
