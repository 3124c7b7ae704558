/* Dependencies whose number is known when a task is created, objects that name them, sections of
 * several dimensions, and events of tasks with dependencies: each result is that of serial
 * execution. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

enum { N = 24, ROWS = 6, COLUMNS = 8 };

/* Each task adds all elements, and changes one. */
static void iterators(int n) {
  long v[N], serial[N], k = 3;
  for (int i = 0; i < N; i++) v[i] = serial[i] = i + 1;
#pragma omp parallel
#pragma omp single
  {
    int i = 5; /* Another one than the iterators. */
    for (int round = 0; round < 8; round++) {
      for (int j = 0; j < n; j++) {
#pragma omp task depend(inout : v[j]) firstprivate(j) shared(v)
        v[j] = (v[j] * 3 + j) % 1009;
      }
#pragma omp task depend(iterator(i = 0 : n), in : v[i]) depend(inout : v[round]) shared(v)
      {
        long sum = 0;
        for (int j = 0; j < n; j++) sum += v[j];
        v[round] = sum % 1009;
      }
#pragma omp task depend(iterator(long i = n - 1 : -1 : -2, int j = 0 : 1), inout : v[i + j]) shared(v)
      for (int j = n - 1; j >= 0; j -= 2) v[j] = (v[j] + v[0] + 1) % 1009;
      /* A pointer, and a range of nothing. */
#pragma omp task depend(iterator(long *p = v : v + 2), inout : *p) \
    depend(iterator(j = 3 : 3), in : v[j]) shared(v)
      {
        v[0] += 1;
        v[1] += 2;
      }
    }
    CHECK(i == 5);
#pragma omp taskwait depend(iterator(i = 0 : n), in : v[i])
    CHECK(v[0] > 0);
  }
  for (int round = 0; round < 8; round++) {
    long sum = 0;
    for (int j = 0; j < n; j++) serial[j] = (serial[j] * 3 + j) % 1009;
    for (int j = 0; j < n; j++) sum += serial[j];
    serial[round] = sum % 1009;
    for (int j = n - 1; j >= 0; j -= 2) serial[j] = (serial[j] + serial[0] + 1) % 1009;
    serial[0] += 1;
    serial[1] += 2;
  }
  for (int j = 0; j < n; j++) CHECK(v[j] == serial[j]);
  /* The caller's own tasks, in a task of which iterators know a parameter, and of a target. */
  long sum = 0, *const row = v;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(sum) depend(out : sum)
    {
      for (int j = 0; j < n; j++) {
#pragma omp task depend(out : row[j])
        row[j] = j;
      }
#pragma omp target nowait map(tofrom : row[0 : n]) depend(iterator(j = 0 : n), inout : row[j])
      for (int j = 0; j < n; j++) row[j] += 1;
#pragma omp task depend(iterator(j = 0 : n), in : row[j]) affinity(iterator(j = 0 : n) : row[j]) \
    shared(sum)
      for (int j = 0; j < n; j++) sum += row[j] * k;
#pragma omp taskwait
    }
  }
  CHECK(sum == 3L * n * (n + 1) / 2);
}

static void use(omp_depend_t* objects, int count, int* value) {
  for (int i = 0; i < count; i++) {
#pragma omp task depend(depobj : objects[i]) firstprivate(i)
    *value = *value * 2 + i;
  }
}
static void objects(void) {
  omp_depend_t object, two[2];
  int x = 1, y = 0, seen[4] = {0}, *const p = &x;
  CHECK(sizeof(object) == 2 * sizeof(void*));
#pragma omp depobj(object) depend(inout : x)
#pragma omp depobj(two[0]) depend(out : x)
#pragma omp depobj(two[1]) depend(mutexinoutset : x)
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(depobj : object) shared(x)
      x = (x * 5 + 1) % 1013;
#pragma omp task depend(inout : x) depend(depobj : object) depend(out : y) shared(x, y)
      y = (x += 2);
    }
#pragma omp depobj(object) update(in)
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(depobj : object) depend(iterator(j = i : i + 1), out : seen[j]) \
    firstprivate(i) shared(x, seen)
      seen[i] = x;
    }
#pragma omp task depend(depobj : two[0], two[1]) shared(x)
    x = 1;
    use(two, 2, &x);
#pragma omp taskwait depend(depobj : object)
    CHECK(x == 5);
#pragma omp target map(tofrom : x) depend(depobj : two[0])
    x++;
    CHECK(x == 6 && *p == 6);
  }
#pragma omp depobj(object) destroy
  int serial = 1;
  for (int i = 0; i < 20; i++) serial = (serial * 5 + 1) % 1013 + 2;
  for (int i = 0; i < 4; i++) CHECK(seen[i] == serial);
  CHECK(y == serial);
}

static int table[ROWS][COLUMNS];
static void blocks_of(int size, long a[N][N], long b[][N]) {
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i += size) {
      for (int j = 0; j < N; j += size) {
#pragma omp task depend(in : a[j : size][i : size]) depend(inout : b[i : size][j : size])
        for (int k = i; k < i + size; k++) {
          for (int l = j; l < j + size; l++) b[k][l] += a[l][k] + round;
        }
#pragma omp task depend(inout : a[i : size][j : size])
        a[i][j] += 1;
      }
    }
  }
}
static void sections(int n) {
  static long a[N][N], b[N][N];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) a[i][j] = i * N + j;
  }
#pragma omp parallel
#pragma omp single
  blocks_of(6, a, b);
  CHECK(b[1][2] == 3 * (2 * N + 1) + 3);
  long sums[ROWS][2] = {{0}};
#pragma omp target map(to : n) map(tofrom : table[0 : n][0 : COLUMNS])
  for (int i = 0; i < n; i++) table[i][i] = i + 1;
#pragma omp target data map(tofrom : table[1 : ][ : ])
  {
#pragma omp target map(table[1 : n - 1][0 : COLUMNS])
    for (int i = 1; i < n; i++) table[i][0] += 10;
#pragma omp target update from(table[2 : 1][0 : 2])
    CHECK(table[2][0] == 10);
  }
  for (int i = 0; i < n; i++) CHECK(table[i][i] == (i == 0 ? 1 : i + 1));
  CHECK(table[n - 1][0] == 10);
#pragma omp parallel for reduction(+ : sums[1 : n - 1][0 : 2])
  for (int i = 0; i < 100; i++) sums[1 + i % (n - 1)][i % 2] += i;
  long all = 0;
  for (int i = 0; i < n; i++) all += sums[i][0] + sums[i][1];
  CHECK(all == 4950 && sums[0][0] == 0);
  long cube[3][2][N];
  for (int i = 0; i < N; i++) cube[1][0][i] = cube[1][1][i] = cube[2][0][i] = cube[2][1][i] = i;
#pragma omp target map(cube[1 : 2][0 : 2][ : N])
  for (int i = 0; i < N; i++) cube[2][1][i] += cube[1][0][i];
  CHECK(cube[2][1][N - 1] == 2 * (N - 1));
}

/* The tasks of a loop have dependencies by their iterations. */
static void loops(int n) {
  long a[N], serial[N], w[ROWS][COLUMNS], serial_w[ROWS][COLUMNS], last = 0;
  for (int i = 0; i < n; i++) a[i] = serial[i] = i;
  for (int i = 0; i < ROWS * COLUMNS; i++) (&w[0][0])[i] = (&serial_w[0][0])[i] = i;
#pragma omp parallel
#pragma omp single
  {
    for (int size = 1; size < 5; size++) {
#pragma omp taskloop nogroup grainsize(size) shared(a)
      for (int i = 1; i < n; i++) {
#pragma omp task_iteration depend(inout : a[i]) depend(in : a[i - 1])
        a[i] = (a[i] * 3 + a[i - 1]) % 1009;
      }
    }
#pragma omp taskloop nogroup collapse(2) num_tasks(9) shared(w)
    for (int i = 1; i < ROWS; i++)
      for (long j = COLUMNS - 2; j >= 0; j--) {
#pragma omp task_iteration depend(in : w[i - 1][j], w[i][j + 1])
#pragma omp task_iteration depend(iterator(k = 0 : 1), inout : w[i][j + k]) if (i > 0)
        w[i][j] = (w[i][j] + 2 * w[i - 1][j] + w[i][j + 1]) % 1009;
      }
#pragma omp task depend(in : a[n - 1]) depend(in : w[ROWS - 1][0]) shared(a, w, last)
    last = a[n - 1] + w[ROWS - 1][0];
  }
  for (int size = 1; size < 5; size++) {
    for (int i = 1; i < n; i++) serial[i] = (serial[i] * 3 + serial[i - 1]) % 1009;
  }
  for (int i = 1; i < ROWS; i++) {
    for (int j = COLUMNS - 2; j >= 0; j--) {
      serial_w[i][j] = (serial_w[i][j] + 2 * serial_w[i - 1][j] + serial_w[i][j + 1]) % 1009;
    }
  }
  CHECK(last == serial[n - 1] + serial_w[ROWS - 1][0]);
  for (int i = 0; i < n; i++) CHECK(a[i] == serial[i]);
}

/* The names of variables that are also words of what is written. */
static void names(void) {
  int in = 1, out = 2, args = 3, count = 4, begin = 5, begin_ = 0;
  omp_event_handle_t event, barrier;
#pragma omp parallel shared(in, out, args, count, begin)
#pragma omp single
  {
#pragma omp task detach(event) depend(inout : in, out) shared(in, out, args, count)
    {
      in += out;
#pragma omp task shared(in, args) depend(inout : args, count)
      args += count;
#pragma omp taskwait
      omp_fulfill_event(event);
    }
#pragma omp task detach(barrier) shared(in, begin)
    {
      begin++;
      omp_fulfill_event(barrier);
    }
#pragma omp task depend(in : in, out, args) depend(out : begin_) shared(in, args, begin_)
    begin_ = in + args;
#pragma omp taskwait
  }
  CHECK(begin_ == 10 && begin == 6);
}

/* What comes after a task with an event comes after the event, too. */
static void events(void) {
  int value = 0, seen = -1, order = 0;
  omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 10; i++) {
#pragma omp task detach(event) depend(out : value) shared(value)
      {
        value = 1;
        const omp_event_handle_t its = event;
#pragma omp task firstprivate(its) shared(value)
        {
          for (volatile int j = 0; j < 10000; j++) {
          }
          value = 2;
          omp_fulfill_event(its);
        }
      }
#pragma omp task depend(inout : value) shared(value, seen)
      seen = value++;
#pragma omp taskwait
      CHECK(seen == 2 && value == 3);
    }
    /* Undeferred: its creator goes on when the body has ended, and fulfills the event. */
#pragma omp task detach(event) depend(out : value) if (0) shared(value)
    value = 7;
#pragma omp task depend(inout : value) shared(order, value)
    order = value + 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK(order == 8);
    /* In a final task. */
#pragma omp task final(1) shared(value, order)
    {
      omp_event_handle_t inner;
#pragma omp task detach(inner) depend(out : value) shared(value)
      {
        value = 1;
        omp_fulfill_event(inner);
      }
#pragma omp task depend(in : value) shared(order, value)
      order = value;
      CHECK(order == 1);
    }
#pragma omp taskwait
  }
  /* Outside of regions. */
#pragma omp task detach(event) depend(out : value) shared(value)
  {
    value = 4;
    omp_fulfill_event(event);
  }
#pragma omp task depend(in : value) shared(value, order)
  order = value;
#pragma omp taskwait
  CHECK(order == 4);
}

int main(void) {
  iterators(N);
  objects();
  sections(ROWS);
  loops(N);
  names();
  events();
  if (wrong == 0) puts("right");
  return wrong != 0;
}
