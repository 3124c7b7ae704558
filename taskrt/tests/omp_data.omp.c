/* What targets do to variables, and data regions: with the results of OpenMP where host and devices
 * have memories of their own, and where there is no device. */
#include <omp.h>
#include <stdio.h>

static int wrong = 0;
#define CHECK(condition) \
  if (!(condition)) wrong += printf("line %d: %s\n", __LINE__, #condition)

struct point {
  double x, y;
};
static int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma omp declare target
static int factor = 3;
static int times_factor(int value) { return value * factor; }
#pragma omp end declare target

/* Scalars are copies, arrays and structures go both ways. */
static void implied_maps(void) {
  int scalar = 5, array[4] = {0}, mapped = 1;
  struct point point = {1, 2};
  int* nowhere = NULL;
#pragma omp target map(mapped)
  {
    for (int i = 0; i < 4; i++) array[i] = times_factor(table[i]) + scalar;
    point.x += point.y;
    mapped += scalar;
    scalar = 100;
    if (nowhere != NULL) mapped = 0;
  }
  CHECK(scalar == 5 && mapped == 6 && point.x == 3);
  for (int i = 0; i < 4; i++) CHECK(array[i] == 3 * (i + 1) + 5);
}

/* When a target has ended the host has what it changed, and may change it itself. */
static void the_host_reads_and_writes_between(float* p, int n) {
  for (int times = 0; times < 4; times++) {
    for (int i = 0; i < n; i++) p[i] += 1;
#pragma omp target map(tofrom : p[0 : n])
    for (int i = 0; i < n; i++) p[i] *= 2;
  }
  for (int i = 0; i < n; i++) CHECK(p[i] == 30);
#pragma omp parallel
#pragma omp single
  for (int times = 0; times < 2; times++) {
#pragma omp target map(tofrom : p[0 : n]) nowait depend(inout : p[0])
    for (int i = 0; i < n; i++) p[i] += 5;
#pragma omp taskwait
    for (int i = 0; i < n; i++) p[i] -= 1;
  }
  for (int i = 0; i < n; i++) CHECK(p[i] == 38);
}

static void regions(int* a, int* b, int n) {
  int scratch[16];
  for (int i = 0; i < 16; i++) scratch[i] = -1;
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 0;
#pragma omp target data map(to : a[0 : n]) map(tofrom : b[0 : n]) map(alloc : scratch)
  {
#pragma omp target
    for (int i = 0; i < n; i++) scratch[i] = 2 * a[i];
#pragma omp target
    for (int i = 0; i < n; i++) b[i] += scratch[i];
    for (int i = 0; i < n; i++) a[i] = 10;
#pragma omp target update to(a[0 : n])
#pragma omp target map(to : a[0 : n])
    for (int i = 0; i < n; i++) b[i] += a[i];
#pragma omp target update from(b[0 : n])
    for (int i = 0; i < n; i++) CHECK(b[i] == 2 * i + 10);
    a[3] = 20;
#pragma omp target update to(a[3 : 1])
#pragma omp target
    b[3] = a[3] + a[2];
  }
  CHECK(b[3] == 30);
  if (omp_get_num_devices() > 0) CHECK(scratch[0] == -1);
}

static void unstructured(void) {
  int values[10] = {0}, kept[4] = {7, 7, 7, 7};
#pragma omp target enter data map(to : values, kept)
  for (int times = 0; times < 3; times++) {
#pragma omp target map(tofrom : values) depend(inout : values) nowait
    for (int i = 0; i < 10; i++) values[i] += i;
#pragma omp target map(kept)
    kept[0] = times;
  }
#pragma omp taskwait
#pragma omp target exit data map(from : values) map(delete : kept)
  for (int i = 0; i < 10; i++) CHECK(values[i] == 3 * i);
  if (omp_get_num_devices() > 0) CHECK(kept[0] == 7);
}

/* Tasks of the host that have targets of their own, with dependencies and without. */
static void targets_in_tasks(void) {
  int values[6][32];
  for (int row = 0; row < 6; row++)
    for (int i = 0; i < 32; i++) values[row][i] = row;
#pragma omp parallel
#pragma omp single
  for (int row = 0; row < 6; row++) {
    int* const line = values[row];
#pragma omp task depend(inout : values[row]) firstprivate(line)
    {
#pragma omp target map(tofrom : line[0 : 32])
      for (int i = 0; i < 32; i++) line[i] += i;
      for (int i = 0; i < 32; i++) line[i] *= 2;
      for (int times = 0; times < 3; times++) {
#pragma omp target map(tofrom : line[0 : 32]) depend(inout : line[0]) nowait
        for (int i = 0; i < 32; i++) line[i] = 2 * line[i] + times;
      }
#pragma omp taskwait
      for (int i = 0; i < 32; i++) line[i] -= 1;
    }
  }
  for (int row = 0; row < 6; row++)
    for (int i = 0; i < 32; i++) CHECK(values[row][i] == 16 * (row + i) + 3);
}

/* A block that is only copied to the device, and changed there: it keeps that in a data region, and
 * loses it outside of one. */
static void set(int* values, int i, int value) { values[i] = value; }
static void changed_to(void) {
  int a[8], b[8] = {0};
  for (int i = 0; i < 8; i++) a[i] = i;
#pragma omp target enter data map(alloc : b)
#pragma omp target teams distribute parallel for map(to : a, b)
  for (int i = 0; i < 8; i++) b[i] = a[i];
#pragma omp target exit data map(from : b)
  for (int i = 0; i < 8; i++) CHECK(b[i] == i);
#pragma omp target enter data map(alloc : b)
#pragma omp target teams distribute parallel for map(to : a, b)
  for (int i = 0; i < 8; i++)
    switch (i) {
      case 0:
        set(b, i, -1);
        break;
      default:
        b[i] = 2 * a[i];
    }
#pragma omp target exit data map(from : b)
  CHECK(b[0] == -1);
  for (int i = 1; i < 8; i++) CHECK(b[i] == 2 * i);
  for (int times = 0; times < 2; times++) {
#pragma omp target map(to : a) map(from : b)
    for (int i = 0; i < 8; i++) {
      a[i] *= 2;
      b[i] = a[i];
    }
    const int is_host = omp_get_num_devices() == 0;
    for (int i = 0; i < 8; i++) {
      CHECK(a[i] == (is_host ? i << (times + 1) : i));
      CHECK(b[i] == (is_host ? i << (times + 1) : 2 * i));
    }
  }
}

static void conditions_and_groups(void) {
  int a[8] = {0}, b[8] = {0};
#pragma omp target if (0) map(tofrom : a)
  a[0] = omp_is_initial_device();
  CHECK(a[0] == 1);
#pragma omp taskgroup
  {
#pragma omp target map(tofrom : a) nowait
    for (int i = 0; i < 8; i++) a[i] = i;
#pragma omp task depend(inout : b) shared(b)
    b[1] = 1;
#pragma omp target map(tofrom : b) depend(inout : b) nowait
    b[1] += 4;
  }
  CHECK(a[7] == 7 && b[1] == 5);
}

int main(void) {
  float numbers[50] = {0};
  int a[12], b[12];
  implied_maps();
  the_host_reads_and_writes_between(numbers, 50);
  regions(a, b, 12);
  unstructured();
  targets_in_tasks();
  conditions_and_groups();
  changed_to();
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
