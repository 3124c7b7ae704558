/* Counts from C. Returns 0 where all is as it should be. */
#include <stdio.h>
#include <string.h>

#include "apps/simpath/c/simpath.h"

static int failures = 0;

static void Expect(int is_so, const char* what, int line) {
  if (is_so) return;
  printf("c_count_test.c:%d: %s; last error: %s\n", line, what, simpath_last_error());
  ++failures;
}
#define EXPECT(condition) Expect(condition, #condition, __LINE__)

/* The complete graph of four vertices. */
static const uint64_t from[] = {0, 0, 0, 1, 1, 2}, to[] = {1, 2, 3, 2, 3, 3};

static int Counts(const simpath_options* options, const char* expected) {
  char* const count = simpath_count(4, 6, from, to, 0, 3, options);
  const int is_so = count != NULL && strcmp(count, expected) == 0;
  if (!is_so) printf("counted %s, expected %s\n", count == NULL ? "nothing" : count, expected);
  simpath_free(count);
  return is_so;
}

int main(void) {
  EXPECT(Counts(NULL, "5"));
  simpath_options options = {0};
  options.threads = 1;
  options.max_length = 2;
  EXPECT(Counts(&options, "3"));
  options.max_length = 0;
  options.visits_all = 1;
  EXPECT(Counts(&options, "2"));
  options.shape = SIMPATH_CYCLES;
  EXPECT(Counts(&options, "3"));
  options.visits_all = 0;
  EXPECT(Counts(&options, "7"));
  options.shape = SIMPATH_ALL_PAIRS;
  EXPECT(Counts(&options, "30"));
  options.shape = SIMPATH_PATHS;
  options.is_directed = 1; /* from smaller to larger vertices */
  EXPECT(Counts(&options, "4"));

  EXPECT(simpath_count(3, 6, from, to, 0, 2, NULL) == NULL);
  EXPECT(strstr(simpath_last_error(), "edge 2 joins 0 and 3") != NULL);
  EXPECT(simpath_count(4, 6, from, to, 0, 4, NULL) == NULL);
  EXPECT(strstr(simpath_last_error(), "4") != NULL);
  EXPECT(simpath_count(4, 6, NULL, to, 0, 3, NULL) == NULL);
  options.shape = (simpath_shape)7;
  EXPECT(simpath_count(4, 6, from, to, 0, 3, &options) == NULL);
  return failures != 0;
}
