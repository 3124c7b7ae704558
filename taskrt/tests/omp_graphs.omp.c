/* taskgraph: a block is run once, and its tasks as often as the construct is met, in the order of
 * their dependencies, with the variables that the construct finds. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

enum { N = 16, TIMES = 10 };

static void once(void) {
  int blocks = 0, tasks = 0, plain = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < TIMES; i++) {
#pragma omp taskgraph
    {
      ++blocks;
      for (int j = 0; j < N; j++) {
#pragma omp task shared(tasks)
        {
#pragma omp atomic
          ++tasks;
        }
      }
    }
    CHECK(tasks == (i + 1) * N);
#pragma omp taskgraph if (i < 0)
    {
      ++plain;
#pragma omp task shared(tasks) depend(inout : tasks)
      --tasks;
#pragma omp task shared(tasks) depend(inout : tasks)
      ++tasks;
    }
  }
  CHECK(blocks == 1);
  CHECK(plain == TIMES);
  CHECK(tasks == TIMES * N);
}

static void ids(void) {
  int blocks[4] = {0}, sums[4] = {0}, resets = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
    const int id = i * i % 4;
#pragma omp taskgraph graph_id(id) graph_reset(i == 30)
    {
      blocks[id]++;
      if (i == 30) resets++;
      for (int j = 0; j < 3; j++) {
#pragma omp task depend(inout : sums[id]) shared(sums) firstprivate(id)
        sums[id]++;
      }
    }
  }
  CHECK(blocks[0] == 2 && blocks[1] == 1 && blocks[2] == 0 && resets == 1);
  CHECK(sums[0] == 60 && sums[1] == 60);
}

/* A wave over a row, whose order matters; replays come after tasks outside, and before others. */
static void wave(int n, int nogroup) {
  long v[N], serial[N], blocks = 0, before = 0;
  for (int i = 0; i < n; i++) v[i] = serial[i] = i;
#pragma omp parallel
#pragma omp single
  {
    for (int time = 0; time < TIMES; time++) {
#pragma omp task depend(inout : v[0]) shared(v)
      v[0] += time;
      if (nogroup) {
#pragma omp taskgraph nogroup
        {
#pragma omp atomic
          ++blocks;
          for (int i = 1; i < n; i++) {
#pragma omp task depend(in : v[i - 1]) depend(inout : v[i]) firstprivate(time) shared(v)
            v[i] = (v[i] * 3 + v[i - 1] + time) % 1009;
          }
        }
      } else {
#pragma omp taskgraph
        {
          ++blocks;
          for (int i = 1; i < n; i++) {
#pragma omp task depend(iterator(j = i - 1 : i), in : v[j]) depend(inout : v[i]) priority(i) \
    shared(v)
            v[i] = (v[i] * 3 + v[i - 1] + time) % 1009;
          }
        }
        CHECK(v[n - 1] >= 0);
      }
#pragma omp task depend(in : v[n - 1]) depend(inout : before) shared(v, before)
      before = (before * 5 + v[n - 1]) % 1009;
    }
  }
  long serial_before = 0;
  for (int time = 0; time < TIMES; time++) {
    serial[0] += time;
    for (int i = 1; i < n; i++) serial[i] = (serial[i] * 3 + serial[i - 1] + time) % 1009;
    serial_before = (serial_before * 5 + serial[n - 1]) % 1009;
  }
  for (int i = 0; i < n; i++) CHECK(v[i] == serial[i]);
  CHECK(before == serial_before);
  CHECK(blocks == 1);
}

/* The variables are those of the call, at another place of the stack; saved ones are not. */
static int bodies = 0;
static long called(int depth, long x) {
  if (depth > 0) {
    volatile char room[64];
    room[0] = 0;
    return called(depth - 1, x) + room[0];
  }
  long sum = 0, all[3] = {x, x, x}, first = x;
#pragma omp taskgraph
  {
    bodies++;
    const long own = x;
#pragma omp task shared(sum) firstprivate(x) firstprivate(saved : first) depend(out : sum)
    sum = x * 1000 + first;
#pragma omp task shared(sum, all) depend(inout : sum) depend(in : all[1])
    sum += all[1] * 100000 + own * 10;
  }
  return sum;
}
static void places(void) {
  for (int i = 1; i < 6; i++) CHECK(called(i, i) == i * 101000 + 11);
  CHECK(bodies == 1);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 1; i < 6; i++) {
#pragma omp task
    CHECK(called(i, i) == i * 101000 + 11 || bodies > 1);
#pragma omp taskwait
  }
  CHECK(bodies == 1);
}

static int* end;
/* Lists that depend on a variable's value hold as long as it has it. */
static void values(void) {
  int a[4] = {0}, b[4] = {0}, *from = a, *to = b, blocks = 0, at = 0;
  a[0] = 1;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 9; i++) {
#pragma omp taskgraph graph_id(i % 2)
      {
        ++blocks;
#pragma omp task depend(in : from[0]) depend(out : to[0])
        to[0] = from[0] + 1;
      }
      int *const other = from;
      from = to;
      to = other;
    }
    CHECK(blocks == 2);
    CHECK(from[0] == 10);
    for (int i = 0; i < 8; i++) {
      at = i / 4;
#pragma omp taskgraph
      {
        ++blocks;
#pragma omp task depend(inout : a[at]) shared(a) firstprivate(at)
        a[at]++;
      }
    }
    CHECK(blocks == 4);
    /* The file's, and what is in a structure. */
    struct ends {
      int *from, *to;
    } both = {a, b};
    for (int i = 0; i < 6; i++) {
      end = i % 2 == 0 ? a : b;
      both.to = i < 3 ? b : a;
#pragma omp task depend(out : end[2])
      end[2] = i;
#pragma omp taskgraph
      {
#pragma omp task depend(inout : end[2])
        end[3] = end[2];
#pragma omp target nowait map(end[2 : 2]) depend(inout : end[2])
        end[2] = end[3] * 2;
      }
      CHECK(end[2] == 2 * i);
#pragma omp taskgraph
      {
        ++blocks;
#pragma omp task depend(inout : both.to[1]) firstprivate(both, i)
        both.to[1] = i;
      }
      CHECK(both.to[1] == i);
    }
    CHECK(blocks == 6);
  }
}

/* What cannot be recorded is run each time. */
static void always(void) {
  int blocks = 0, sum = 0, last = 0;
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < TIMES; i++) {
#pragma omp taskgraph
      {
        ++blocks;
#pragma omp task shared(sum)
        sum++;
#pragma omp taskwait
#pragma omp task shared(sum)
        sum++;
      }
#pragma omp taskgraph
      {
        ++blocks;
#pragma omp task shared(last) firstprivate(i) if (0)
        last = i;
        CHECK(last == i);
      }
#pragma omp taskgraph
      {
        ++blocks;
#pragma omp task shared(sum) detach(event)
        omp_fulfill_event(event);
      }
#pragma omp taskgraph
      {
        ++blocks;
#pragma omp taskgraph
        {
#pragma omp task shared(sum)
          sum++;
        }
      }
    }
  }
  CHECK(blocks == 4 * TIMES);
  CHECK(sum == 3 * TIMES);
}

static long fib(int n) {
  long x, y;
  if (n < 2) return n;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y) depend(out : y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}
static void tasks_of_tasks(void) {
  long f[3] = {0}, left = 0, parts[40] = {0};
  int blocks = 0, unrecorded = 0, ended = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp taskgraph
    {
      ++blocks;
      for (int j = 0; j < 3; j++) {
#pragma omp task shared(f) firstprivate(i, j) depend(out : f[j])
        f[j] = fib(8 + i + j);
      }
#pragma omp task shared(left) final(1)
      {
#pragma omp task shared(left)
        for (volatile int j = 0; j < 2000; j++) {
        }
#pragma omp task shared(left)
        {
#pragma omp atomic
          left++;
        }
      }
#pragma omp task replayable(0) shared(unrecorded)
      unrecorded++;
#pragma omp taskloop nogroup num_tasks(4) shared(parts)
      for (int j = 0; j < 40; j++) parts[j] += j + i;
    }
    ended = (int)left;
    CHECK(ended == i + 1);
  }
  CHECK(blocks == 1 && unrecorded == 1);
  CHECK(f[0] == 89 && f[1] == 144 && f[2] == 233);
  for (int j = 0; j < 40; j++) CHECK(parts[j] == 4 * j + 6);
}

static void targets(void) {
  int y = 0, row[N] = {0}, blocks = 0;
  for (int i = 0; i < TIMES; i++) {
#pragma omp taskgraph
    {
      ++blocks;
#pragma omp target nowait map(tofrom : y) depend(out : y)
      y = y * 2 + 1;
#pragma omp task depend(inout : y) shared(y)
      y = y * 3 + 1;
#pragma omp target nowait map(tofrom : y, row[0 : N]) depend(inout : y, row) firstprivate(i)
      for (int j = 0; j < N; j++) row[j] += ++y + i;
    }
  }
  int serial = 0, serial_row[N] = {0};
  for (int i = 0; i < TIMES; i++) {
    serial = (serial * 2 + 1) * 3 + 1;
    for (int j = 0; j < N; j++) serial_row[j] += ++serial + i;
  }
  CHECK(y == serial && blocks == 1);
  for (int j = 0; j < N; j++) CHECK(row[j] == serial_row[j]);
}

/* All members meet the construct. */
static int counts[8][N];
static void members(void) {
#pragma omp parallel num_threads(4)
  for (int time = 0; time < 50; time++) {
    int* const own = counts[omp_get_thread_num()];
#pragma omp taskgraph graph_id(omp_get_thread_num() % 3)
    for (int i = 0; i < N; i++) {
#pragma omp task depend(inout : own[i]) firstprivate(i, own)
      own[i]++;
    }
#pragma omp taskgraph nogroup
    {
#pragma omp task depend(inout : own[0]) firstprivate(own)
      own[0]++;
    }
#pragma omp taskwait
  }
  for (int thread = 0; thread < 4; thread++) {
    for (int i = 0; i < N; i++) CHECK(counts[thread][i] == (i == 0 ? 100 : 50));
  }
}

/* A variable of the file that no list names, and lists that are read from memory behind a pointer. */
static int step;
struct rows {
  int *now, *next;
};
static void add(int* row) { row[1] += row[0]; }
static void outside(void) {
  int seen[3] = {-1, -1, -1};
  for (step = 0; step < 3; step++) {
#pragma omp taskgraph
    {
#pragma omp task firstprivate(step) shared(seen)
      seen[step] = step;
    }
  }
  for (int i = 0; i < 3; i++) CHECK(seen[i] == i);
  int first[2] = {1, 0}, second[2] = {2, 0};
  struct rows both = {first, second}, *rows = &both;
  for (int i = 0; i < 4; i++) {
#pragma omp taskgraph graph_id(7)
    {
#pragma omp target map(tofrom : rows->now[0 : 2]) nowait
      add(rows->now);
    }
    int *const was = both.now;
    both.now = both.next;
    both.next = was;
  }
  CHECK(first[1] == 2 && second[1] == 4);
}

int main(void) {
  outside();
  once();
  ids();
  wave(N, 0);
  wave(N, 1);
  places();
  values();
  always();
  tasks_of_tasks();
  targets();
  members();
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
