/* The loops of targets whose statements are C: on OpenCL's devices as kernels, which is counted, and
 * anywhere with the host's results. */
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taskrt/ompc.h"
#include "taskrt/ompc/omp_calls.h"

enum { MOST = 1000 };

static int wrong, with_text;

static void expect(int is_right, const char *what) {
  if (is_right) return;
  printf("wrong: %s\n", what);
  ++wrong;
}

static float global[MOST];

static void arrays(int n) {
  int x[MOST], y[MOST];
  double *const heap = malloc(sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++) x[i] = i, y[i] = -1, heap[i] = i, global[i] = 1;
#pragma omp target teams distribute parallel for map(to : x) map(from : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 1;
  with_text++;
  for (int i = 0; i < n; i++) expect(y[i] == 2 * i + 1, "an array");
  double factor = 0.1;
#pragma omp target parallel for map(tofrom : heap[1 : n - 2]) schedule(static, 4)
  for (int i = 1; i < n - 1; ++i) {
    const double old = heap[i];
    heap[i] = old * factor + sqrt(old);
  }
  with_text++;
  for (int i = 1; i < n - 1; i++) expect(heap[i] == i * factor + sqrt(i), "a part of the heap");
  expect(heap[0] == 0 && heap[n - 1] == n - 1, "around a part");
#pragma omp target teams loop
  for (int i = n - 1; i >= 0; i -= 3) global[i] += (float)i / 3;
  with_text++;
  for (int i = 0; i < n; i++)
    expect(global[i] == ((n - 1 - i) % 3 == 0 ? 1 + (float)i / 3 : 1), "an array of the file");
  free(heap);
}

static void matrices(int n, int m, float a[n][m], short (*b)[7]) {
  double product[n][n];
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; i++)
    for (unsigned j = 0; j < 7; j++) {
      if (j % 2 == 0) continue;
      b[i][j] += (short)a[i][j % (unsigned)m];
    }
  with_text++;
#pragma omp target map(to : a[0 : n]) map(from : product)
#pragma omp teams distribute parallel for simd collapse(2)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += a[i][k] * a[j][k];
      product[i][j] = sum;
    }
  }
  with_text++;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 7; j++)
      expect(b[i][j] == (j % 2 == 0 ? 1 : 1 + (short)a[i][j % m]), "rows of a pointer");
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += a[i][k] * a[j][k];
      expect(product[i][j] == sum, "rows of variable length");
    }
  }
}

static void reductions(int n) {
  long x[MOST], sum = 5, most = -1, product = 1;
  float least = 9, all = 1;
  unsigned bits = 0, same = ~0u, odd = 1;
  int every = 1, any = 0;
  double real = 0.5;
  for (int i = 0; i < n; i++) x[i] = i * 7 % 1000;
#pragma omp target teams distribute parallel for reduction(+ : sum, real) reduction(max : most)    reduction(min : least) map(to : x) map(tofrom : all)
  for (int i = 0; i < n; i++) {
    sum += x[i];
    real += 0.25;
    if (x[i] > most) most = x[i];
    least = fminf(least, (float)x[i] - 0.5f);
    if (i == 3) all = 2;
  }
  with_text++;
#pragma omp target parallel for reduction(* : product) reduction(| : bits) reduction(& : same)     reduction(^ : odd) reduction(&& : every) reduction(|| : any)
  for (int i = 0; i < 20; i++) {
    product *= i % 3 + 1;
    bits |= 1u << i;
    same &= ~(2u << i);
    odd ^= (unsigned)i;
    every = every && i < 20;
    any = any || i == 7;
  }
  with_text++;
  long its_sum = 5, its_most = -1, its_product = 1;
  unsigned its_odd = 1;
  for (int i = 0; i < n; i++) {
    its_sum += x[i];
    if (x[i] > its_most) its_most = x[i];
  }
  for (int i = 0; i < 20; i++) its_product *= i % 3 + 1, its_odd ^= (unsigned)i;
  expect(sum == its_sum && most == its_most && least == -0.5f, "sum, max and min");
  expect(real == 0.5 + 0.25 * n && all == 2, "a sum of double, and a mapped scalar");
  expect(product == its_product && bits == (1u << 20) - 1 && same == ~((2u << 20) - 2), "* | &");
  expect(odd == its_odd && every == 1 && any == 1, "^ && ||");
}

static void variables(int n) {
  int32_t x[MOST];
  uint8_t bytes[MOST];
  int own = 3, i, mapped = 4, none = 0;
  char letter = 'a';
  for (i = 0; i < n; i++) x[i] = 0;
#pragma omp target data map(tofrom : x) map(from : bytes)
  {
#pragma omp target teams distribute parallel for private(own) firstprivate(letter) map(to : mapped)
    for (i = 0; i < n; i++) {
      own = i;
      own += mapped;
      x[i] = own + letter;
      bytes[i] = (uint8_t)own;
    }
#pragma omp target teams distribute parallel for
    for (int j = 0; j < none; j++) x[j] = 0;
#pragma omp target teams distribute parallel for num_teams(2) nowait depend(inout : x)
    for (size_t j = 1; j < 11; j += 2) x[j] *= 2;
#pragma omp taskwait
  }
  int run = 0, runs[64];
#pragma omp target parallel for firstprivate(run) map(from : runs) schedule(static, 8)
  for (int j = 0; j < 60; j++) {
    if (j % 8 == 0) run = 0;
    run++;
    runs[j] = run;
  }
  for (int j = 0; j < 60; j++) expect(runs[j] == j % 8 + 1, "the order in a chunk");
  with_text += 4;
  for (int j = 0; j < n; j++) {
    expect(x[j] == (j + 4 + 'a') * (j < 11 && j % 2 == 1 ? 2 : 1), "private and copied");
    expect(bytes[j] == (uint8_t)(j + 4), "bytes");
  }
  expect(own == 3, "a private variable");
}

struct point {
  float x, y;
};
static int twice(int x) { return 2 * x; }

/* A loop with a word that OpenCL might not have is the host's. */
static void others(int n) {
  struct point points[MOST];
  int x[MOST], *inside = x + 1;
#pragma omp target teams distribute parallel for map(from : points)
  for (int i = 0; i < n; i++) points[i].x = points[i].y = (float)i;
#pragma omp target teams distribute parallel for map(from : x)
  for (int i = 0; i < n; i++) x[i] = twice(i);
  for (int i = 0; i < n; i++) expect(points[i].y == (float)i && x[i] == 2 * i, "on the host");
  /* Two names of a block: decided when it runs. */
#pragma omp target data map(tofrom : x)
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n - 1; i++) inside[i] += x[0];
  }
  for (int i = 1; i < n; i++) expect(x[i] == 2 * i, "two names");
}

static void set(void **args) { *(int *)args[0] = 7; }

/* A text that no device builds leaves the loop to the host. */
static void nonsense(void) {
  int x = 0;
  const size_t bytes[] = {sizeof(long)};
  const struct ompc_kernel kernel = {
      .name = "nonsense",
      .function = set,
      .opencl_function = "ompc_loop",
      .opencl_source = "__kernel void ompc_loop(__global char *b_x, long o_x) { nonsense; }",
      .scalars_count = 1,
      .scalar_bytes = bytes};
  void *args[] = {&x}, *maps[] = {make_map_desc(&x, 0, sizeof x, OMPC_TO_HOST)};
  const struct ompc_task task = {.name = "nonsense",
                                 .function = set,
                                 .kernel = ompc_kernel_of_loop(&kernel, 1),
                                 .args_count = 1,
                                 .args = args,
                                 .map_count = 1,
                                 .maps = maps,
                                 .is_undeferred = 1};
  ompc_require(ompc_task_create(&task));
  expect(x == 7, "a text that no device builds");
}

int main(void) {
  static float a[20 * 9];
  static short b[20][7];
  for (int i = 0; i < 20 * 9; i++) a[i] = (float)(i % 11) / 2;
  for (int i = 0; i < 20 * 7; i++) b[i / 7][i % 7] = 1;
  arrays(MOST);
  matrices(20, 9, (float(*)[9])a, b);
  reductions(MOST);
  variables(MOST);
  others(MOST);
  nonsense();
  struct ompc_counts counts;
  ompc_get_counts(&counts);
  const char *const devices = getenv("OMPC_DEVICES");
  const int is_opencl = devices != NULL && strcmp(devices, "opencl") == 0;
  fprintf(stderr, "%lu tasks on devices\n", counts.tasks_on_devices);
  if (is_opencl && omp_get_num_devices() > 0) /* It may be missing. */
    expect(counts.tasks_on_devices == (unsigned long)with_text, "the loops that OpenCL ran");
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
