/* All of the C interface, in C; each process ends with 1 where something is not as sms.h says. */
#include "dsm/sms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                              \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "process %d: line %d: not %s\n", sms_pid, __LINE__, #condition);  \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

enum { kRows = 12, kColumns = 1024 };

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "bad-access") == 0) sms_preload(&argc, 1, 7);
  if (argc > 1 && strcmp(argv[1], "bad-dims") == 0) {
    sms_mapalloc(-1, NULL, 4, NULL, 0, 1);
  }
  if (argc > 1 && strcmp(argv[1], "too-much") == 0) sms_alloc((size_t)1 << 33, 0);
  if (argc > 1 && strcmp(argv[1], "outside") == 0) sms_preload(&argc, 4, SMS_READ);

  const size_t extents[2] = {kRows, kColumns};
  const int divisions[2] = {sms_nprocs, 1};
  int(*array)[kColumns] = sms_mapalloc(2, extents, sizeof(int), divisions, 0, sms_nprocs);
  int* turn = sms_alloc(sizeof(int), 0);
  const int first = kRows * sms_pid / sms_nprocs, last = kRows * (sms_pid + 1) / sms_nprocs;
  for (int y = first; y < last; ++y) {
    for (int x = 0; x < kColumns; ++x) array[y][x] = y * kColumns + x;
  }
  sms_barrier();

  const size_t from[2] = {0, 10}, to[2] = {kRows, 20};
  sms_preload_array(array, 2, extents, sizeof(int), from, to, SMS_READ);
  sms_preload(array, sizeof(int) * kRows * kColumns, SMS_READ);
  for (int y = 0; y < kRows; ++y) {
    for (int x = 0; x < kColumns; ++x) REQUIRE(array[y][x] == y * kColumns + x);
  }
  sms_sync();

  /* Each process overwrites a row of the next one. */
  const int next = (sms_pid + 1) % sms_nprocs, row = kRows * next / sms_nprocs;
  const size_t row_from[2] = {(size_t)row, 0}, row_to[2] = {(size_t)row + 1, kColumns};
  sms_overload(array[row], sizeof array[row] / 2);
  sms_overload_array(array, 2, extents, sizeof(int), row_from, row_to);
  for (int x = 0; x < kColumns; ++x) array[row][x] = -row;
  sms_barrier();
  for (int process = 0; process < sms_nprocs; ++process) {
    const int y = kRows * process / sms_nprocs;
    REQUIRE(array[y][0] == -y && array[y][kColumns - 1] == -y);
    REQUIRE(array[y + 1][5] == (y + 1) * kColumns + 5);
  }
  sms_sync();

  /* What is written to a copy is lost when copies are dropped; what is at home stays. */
  if (sms_pid == sms_nprocs - 1) *turn = 4;
  sms_sync_drop();
  REQUIRE(*turn == (sms_nprocs == 1 ? 4 : 0));
  sms_sync_drop();
  if (sms_pid == 0) *turn = 5;
  sms_sync_drop();
  REQUIRE(*turn == 5);
  sms_sync();
  if (sms_pid == 0) printf("all of %d processes are right\n", sms_nprocs);
  sms_shutdown();
  return 0;
}
