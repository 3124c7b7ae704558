/* Loops whose iterations look back, or are no rectangle: each result is what serial execution has. */
#include <omp.h>
#include <stdio.h>
static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

enum { N = 100 };
static int runs[N][N];

static void triangles(void) {
  int pairs = 0;
#pragma omp parallel for collapse(2) schedule(dynamic, 7) reduction(+ : pairs)
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      if (j % 10 == 0) continue;
      runs[i][j] += i * N + j;
      ++pairs;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) CHECK(runs[i][j] == (j > i && j % 10 != 0 ? i * N + j : 0));
  CHECK(pairs == 4500);
  /* Some inner loops are empty. */
  long sum = 0, expected = 0;
  int i, j, k;
#pragma omp parallel for collapse(3) private(i, j, k) reduction(+ : sum) schedule(static, 3)
  for (i = 20; i > 0; i -= 3)
    for (j = 0; j < i - 10; ++j)
      for (k = j; k <= i; k += 2) sum += i * 10000 + j * 100 + k;
  for (i = 20; i > 0; i -= 3)
    for (j = 0; j < i - 10; ++j)
      for (k = j; k <= i; k += 2) expected += i * 10000 + j * 100 + k;
  CHECK(sum == expected);
}

static void scans(void) {
  int a[N], b[N], sum = 1000, most = -1;
  for (int i = 0; i < N; i++) a[i] = i * 7 % 31;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    sum = a[i]; /* what it adds to is its own */
#pragma omp scan inclusive(sum)
    b[i] = sum;
  }
  for (int i = 0, expected = 1000; i < N; i++) CHECK(b[i] == (expected += a[i]));
  CHECK(sum == b[N - 1]);
#pragma omp parallel for reduction(inscan, max : most)
  for (int i = 0; i < N; i++) {
    b[i] = most;
#pragma omp scan exclusive(most)
    if (a[i] > most) most = a[i];
  }
  for (int i = 0, expected = -1; i < N; i++) {
    CHECK(b[i] == expected);
    if (a[i] > expected) expected = a[i];
  }
  sum = 0;
#pragma omp simd reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    sum += 2;
#pragma omp scan inclusive(sum)
    b[i] = sum;
  }
  for (int i = 0; i < N; i++) CHECK(b[i] == 2 * i + 2);
}

static void last_ones(void) {
  int last = -1, part = 0;
#pragma omp parallel for lastprivate(conditional : last) schedule(dynamic)
  for (int i = 0; i < N; i++) {
    if (i % 7 == 3) last = i;
  }
  CHECK(last == 94);
#pragma omp parallel sections lastprivate(conditional : part)
  {
    part = 1;
#pragma omp section
    part = 2;
#pragma omp section
    last = 0;
  }
  CHECK(part == 2 && last == 0);
  int i;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop lastprivate(last, i) num_tasks(9)
  for (i = 3; i < N; i += 2) last = 10 * i;
  CHECK(last == 990 && i == 101);
}

static void looks_back(void) {
  unsigned grid[N][N] = {{0}};  // which wraps
#pragma omp parallel for ordered(2)
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
#pragma omp ordered depend(source)
    }
  CHECK(grid[1][1] == 1 && grid[2][2] == 5 && grid[3][3] == 19);
}

static void belongs_to_a_team(void) {
  int sums[N] = {0};
#pragma omp teams num_teams(4)
#pragma omp loop bind(teams)
  for (int i = 0; i < N; i++) {
    int sum = 0;
#pragma omp loop reduction(+ : sum)
    for (int j = 0; j < N; j++) sum += j;
    sums[i] = sum;
  }
  for (int i = 0; i < N; i++) CHECK(sums[i] == N * (N - 1) / 2);
}

static void counts(void) {
  int runs = 0;
#pragma omp parallel for reduction(+ : runs)
  for (unsigned i = 10; i != 3; i--) runs++;
  CHECK(runs == 7);
  unsigned step = 2;
#pragma omp parallel for reduction(+ : runs)
  for (int i = 10; i > 0; i -= step) runs++;
  CHECK(runs == 12);
#pragma omp parallel for reduction(+ : runs)
  for (int i = -2000000000; i < 2000000000; i += 100000000) runs++;
  CHECK(runs == 52);
  char text[N];
#pragma omp parallel for
  for (char *p = text; p != text + N; ++p) *p = (char)(p - text);
  for (int i = 0; i < N; i++) CHECK(text[i] == i);
}

static void is_linear(void) {
  int j = 3, a[N];
#pragma omp parallel for linear(j : 2) schedule(dynamic, 3)
  for (int i = 0; i < N; i++) {
    a[i] = j;
    j += 2;
  }
  for (int i = 0; i < N; i++) CHECK(a[i] == 3 + 2 * i);
  CHECK(j == 3 + 2 * N);
  j = 0;
#pragma omp simd linear(j)
  for (int i = 0; i < N; i++) a[i] = j;
  for (int i = 0; i < N; i++) CHECK(a[i] == i);
}

static void keeps_what_it_has(void) {
  int x = 7, sum = 0, grid[4][9] = {{0}};
#pragma omp parallel
#pragma omp for firstprivate(x) lastprivate(conditional : x)
  for (int i = 0; i < 10; i++)
    if (i == 4) x += i;
  CHECK(x == 11);
#pragma omp parallel num_threads(3)
#pragma omp scope reduction(+ : sum)
  sum += 2;
  CHECK(sum == 6);
#pragma omp parallel for reduction(+ : grid[0 : 4][2 : 3])
  for (int i = 0; i < 40; i++) grid[i % 4][2 + i % 3]++;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 9; k++) CHECK(k < 2 || k > 4 ? grid[i][k] == 0 : grid[i][k] >= 3);
}

int main(void) {
  counts();
  is_linear();
  keeps_what_it_has();
  triangles();
  scans();
  last_ones();
  looks_back();
  belongs_to_a_team();
#pragma omp error at(execution) severity(warning) message("a warning alone")
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
