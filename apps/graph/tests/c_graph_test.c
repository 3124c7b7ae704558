/* Graphs from C. Returns 0 where all is as it should be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/graph/c/graph.h"

static int failures = 0;

static void Expect(int is_so, const char* what, int line) {
  if (is_so) return;
  printf("c_graph_test.c:%d: %s; last error: %s\n", line, what, graph_last_error());
  ++failures;
}
#define EXPECT(condition) Expect(condition, #condition, __LINE__)

static char path[4096];

static const char* File(const char* name, const char* text) {
  const char* const folder = getenv("TEST_TMPDIR");
  snprintf(path, sizeof path, "%s/%s", folder == NULL ? "." : folder, name);
  FILE* const file = fopen(path, "w");
  EXPECT(file != NULL);
  if (file == NULL) exit(1);
  fputs(text, file);
  fclose(file);
  return path;
}

int main(void) {
  graph_list* list = graph_read(File("a.txt", "7 1099511627776 2.5\n1099511627776 9 1\n"), NULL);
  EXPECT(list != NULL);
  EXPECT(graph_vertices(list) == 3 && graph_edges(list) == 2 && !graph_is_directed(list));
  EXPECT(graph_id(list, 2) == 1099511627776u && graph_vertex(list, 9) == 1);
  EXPECT(graph_vertex(list, 8) == -1);
  EXPECT(strstr(graph_report(list), "weights dropped") != NULL);
  EXPECT(graph_weights(list) == NULL);
  uint64_t from[2], to[2];
  EXPECT(graph_ends(list, 0, 2, from, to) == 0);
  EXPECT(from[0] == 0 && to[0] == 2 && from[1] == 2 && to[1] == 1);
  EXPECT(graph_ends(list, 1, 2, from, to) != 0);

  graph_rows* rows = graph_rows_new(list, GRAPH_EDGES);
  EXPECT(rows != NULL);
  EXPECT(graph_rows_offsets(rows)[3] == 4 && graph_rows_neighbors(rows)[2] == 0);
  graph_rows_free(rows);

  /* Ids are in the file that is saved. */
  char saved[4096];
  snprintf(saved, sizeof saved, "%s", File("a.sg", ""));
  EXPECT(graph_save(list, "gapbs", saved) == 0);
  graph_list_free(list);
  list = graph_read(saved, NULL);
  EXPECT(list != NULL && graph_id(list, 2) == 1099511627776u);
  graph_list_free(list);

  graph_read_options options = {0};
  options.format = "edge-list";
  options.direction = GRAPH_DIRECTED;
  options.keep_weights = 1;
  list = graph_read(File("b", "0 1 2.5\n"), &options);
  EXPECT(list != NULL && graph_is_directed(list) && graph_weights(list)[0] == 2.5);
  EXPECT(graph_save(list, "metis", saved) != 0);
  EXPECT(strstr(graph_last_error(), "cannot hold edges with a direction") != NULL);
  rows = graph_rows_new(list, GRAPH_ARCS_AGAINST);
  EXPECT(graph_rows_offsets(rows)[1] == 0 && graph_rows_offsets(rows)[2] == 1);
  graph_rows_free(rows);
  graph_list_free(list);

  const uint64_t ends[] = {0, 3};
  EXPECT(graph_list_new(3, 0, 1, ends, ends + 1) == NULL);
  EXPECT(strstr(graph_last_error(), "edge 0") != NULL);
  list = graph_list_new(4, 1, 1, ends, ends + 1);
  EXPECT(graph_edges(list) == 1 && graph_is_directed(list));
  graph_list_free(list);

  EXPECT(graph_read(File("c.el", "0 x\n"), NULL) == NULL);
  EXPECT(strstr(graph_last_error(), "c.el:1: found 'x' as field 2") != NULL);
  EXPECT(graph_read(NULL, NULL) == NULL);
  options.format = "gml";
  EXPECT(graph_read(saved, &options) == NULL);
  graph_list_free(NULL);
  return failures != 0;
}
