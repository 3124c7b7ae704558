/* All that the translator knows and the paper's programs do not use, with checked results. */
#include <stdio.h>

#include "taskrt/ompc.h"

struct point {
  double x, y;
};
static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

void move(struct point* p, float dx, short dy) {
  p->x += dx;
  p->y += dy;
}
void add(int* values, int count, int number) {
  for (int i = 0; i < count; i++) values[i] += number;
}
void copy(const int* from, int* to, long count) {
  for (long i = 0; i < count; i++) to[i] = from[i];
}
void nothing(void) {}

static void elements(void) {
  struct point points[4] = {{0}};
  int scalar = 1;
#pragma omp parallel default(shared)
#pragma omp single nowait
  for (int i = 0; i < 4; i++) {
    for (int times = 0; times < 10; times++) {
#pragma omp task depend(inout : points[i]) firstprivate(i)
      move(&points[i], 0.5f, (short)-i);
    }
#pragma omp task depend(inout : scalar)
    add(&scalar, 1, i);
#pragma omp task
    nothing();
  }
  for (int i = 0; i < 4; i++) CHECK(points[i].x == 5 && points[i].y == -10 * i);
  CHECK(scalar == 7);
}

/* Two regions with arrays of one stack frame each, which may lie at the same place. */
static void frame(int number) {
  int array[10], part[10];
  for (int i = 0; i < 10; i++) array[i] = part[i] = number;
#pragma omp parallel
#pragma omp single
  {
    int* const pointer = part;
    for (int times = 0; times < 3; times++) {
#pragma omp target depend(inout : array) map(array) nowait
      add(array, 10, 1);
#pragma omp target depend(inout : pointer[2]) map(tofrom : pointer[2 : 5]) nowait
      { add(&pointer[2], 5, 1); }
    }
  }
  for (int i = 0; i < 10; i++) {
    CHECK(array[i] == number + 3);
    CHECK(part[i] == number + (i >= 2 && i < 7 ? 3 : 0));
  }
}

static void without_a_region(void) {
  static int from[8], to[8];
  for (int i = 0; i < 8; i++) from[i] = i;
#pragma omp target map(to : from) map(from : to[:8])
  copy(from, to, 8);
  if (to[7] == 0) { /* It has ended, but may be on the device only. */
#pragma omp taskwait
  }
  for (int i = 0; i < 8; i++) CHECK(to[i] == i);
}

int main(void) {
  elements();
  for (int number = 0; number < 5; number++) frame(10 * number);
  without_a_region();
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
