/* The search from C. Returns 0 where all is as it should be. */
#include <stdio.h>
#include <string.h>

#include "apps/bfs/c/bfs.h"

static int failures = 0;

static void Expect(int is_so, const char* what, int line) {
  if (is_so) return;
  printf("c_search_test.c:%d: %s; last error: %s\n", line, what, bfs_last_error());
  ++failures;
}
#define EXPECT(condition) Expect(condition, #condition, __LINE__)

int main(void) {
  /* Arcs 0 > 1 > 2, and 3 alone. */
  const uint64_t offsets[] = {0, 1, 2, 2, 2};
  const uint64_t neighbors[] = {1, 2};
  const uint32_t narrow[] = {1, 2};
  int64_t parents[4], depths[4];

  bfs_options options = {0};
  options.is_directed = 1;
  options.threads = 2;
  bfs_graph* directed = bfs_graph_new(4, offsets, neighbors, &options);
  EXPECT(directed != NULL);
  EXPECT(bfs_search(directed, 0, parents, depths) == 3);
  EXPECT(parents[0] == 0 && parents[1] == 0 && parents[2] == 1 && parents[3] == -1);
  EXPECT(depths[0] == 0 && depths[1] == 1 && depths[2] == 2 && depths[3] == -1);
  EXPECT(bfs_search(directed, 2, NULL, depths) == 1);
  EXPECT(depths[2] == 0 && depths[1] == -1);
  EXPECT(bfs_search(directed, 4, parents, depths) == -1);
  EXPECT(strstr(bfs_last_error(), "root 4") != NULL);
  bfs_graph_free(directed);

  bfs_graph* both_ways = bfs_graph_new32(4, offsets, narrow, NULL);
  EXPECT(bfs_search(both_ways, 2, NULL, NULL) == 3);
  bfs_graph_free(both_ways);

  const uint64_t outside[] = {1, 9};
  EXPECT(bfs_graph_new(4, offsets, outside, NULL) == NULL);
  EXPECT(strstr(bfs_last_error(), "neighbor 1 is 9") != NULL);
  EXPECT(bfs_graph_new(4, NULL, neighbors, NULL) == NULL);
  EXPECT(bfs_search(NULL, 0, NULL, NULL) == -1);
  bfs_graph_free(NULL);
  return failures != 0;
}
