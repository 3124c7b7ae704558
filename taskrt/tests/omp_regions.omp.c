/* Parallel regions, and the loops, sections and variables that their members share: each result is what
 * serial execution has. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int tp = 5;
#pragma omp threadprivate(tp)
static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)
int main(void) {
  enum { N = 1000 };
  int a[N], threads = 0;
  int* const count = calloc((size_t)omp_get_max_threads(), sizeof *count);
  long sum = 0; int mx = -1, mn = 1 << 30;
  for (int i = 0; i < N; i++) a[i] = i;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    __sync_fetch_and_add(&count[omp_get_thread_num()], 1);
  }
  CHECK(threads == omp_get_max_threads());
  for (int i = 0; i < threads; i++) CHECK(count[i] == 1);
  free(count);
#pragma omp parallel for reduction(+ : sum) reduction(max : mx) reduction(min : mn)
  for (int i = 0; i < N; i++) { sum += a[i]; if (a[i] > mx) mx = a[i]; if (a[i] < mn) mn = a[i]; }
  CHECK(sum == N * (N - 1) / 2); CHECK(mx == N - 1 && mn == 0);
  int i, last = 0;
#pragma omp parallel for schedule(dynamic, 7) lastprivate(last, i) num_threads(3)
  for (i = 3; i <= 2 * N; i += 3) { last = i; __sync_fetch_and_add(&a[i % N], 1); }
  CHECK(last == 1998); CHECK(i == 2001);
  int h[10] = {0};
#pragma omp parallel for reduction(+ : h) schedule(guided)
  for (int k = 0; k < 100; k++) h[k % 10]++;
  for (int k = 0; k < 10; k++) CHECK(h[k] == 10);
  int *p = h;
#pragma omp parallel for reduction(+ : p[2:3]) schedule(static, 3)
  for (int k = 0; k < 100; k++) p[2 + k % 3] += 1;
  CHECK(h[2] == 44 && h[3] == 43 && h[4] == 43 && h[5] == 10);
  int grid[7][9]; memset(grid, 0, sizeof grid);
#pragma omp parallel for collapse(2)
  for (int x = 0; x < 7; x++)
    for (int y = 8; y >= 0; y -= 2) grid[x][y] += x * 10 + y;
  for (int x = 0; x < 7; x++) for (int y = 0; y < 9; y++) CHECK(grid[x][y] == (y % 2 ? 0 : x * 10 + y));
  int order[N], next = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int k = 0; k < N; k++) {
    if (k % 5 == 0) continue;
#pragma omp ordered
    order[next++] = k;
  }
  CHECK(next == 800);
  for (int k = 1; k < next; k++) CHECK(order[k] > order[k - 1]);
#pragma omp parallel num_threads(4)
  {
    tp += omp_get_thread_num();
  }
  int total = 0;
#pragma omp parallel num_threads(4) reduction(+ : total)
  total += tp;
  CHECK(total == 20 + 6);
  tp = 100;
#pragma omp parallel copyin(tp) num_threads(3)
  {
    CHECK(tp == 100);
#pragma omp barrier
#pragma omp single copyprivate(tp)
    tp = 7;
    CHECK(tp == 7);
  }
  int s1 = 0, s2 = 0, s3 = 0;
#pragma omp parallel sections
  {
    s1 = 1;
#pragma omp section
    { s2 = 2; }
#pragma omp section
    s3 = 3;
  }
  CHECK(s1 == 1 && s2 == 2 && s3 == 3);
  int tasks = 0;
#pragma omp parallel
#pragma omp for nowait
  for (int k = 0; k < 10; k++) {
#pragma omp task
    { __sync_fetch_and_add(&tasks, 1); }
  }
  CHECK(tasks == 10);
  int dev[64]; int dsum = 0;
#pragma omp target teams distribute parallel for map(from : dev) reduction(+ : dsum)
  for (int k = 0; k < 64; k++) { dev[k] = 2 * k; dsum += k; }
  for (int k = 0; k < 64; k++) CHECK(dev[k] == 2 * k);
  CHECK(dsum == 2016);
#pragma omp parallel if (0)
  CHECK(omp_get_num_threads() == 1 && omp_get_level() == 1 && !omp_in_parallel());
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
