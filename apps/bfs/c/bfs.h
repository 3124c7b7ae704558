/* Breadth-first search over a program's own rows, for C and for languages that call C.
 *
 *   const uint64_t offsets[] = {0, 1, 3, 4};
 *   const uint64_t neighbors[] = {1, 0, 2, 1};
 *   bfs_graph* graph = bfs_graph_new(3, offsets, neighbors, NULL);
 *   if (graph == NULL) puts(bfs_last_error());
 *   int64_t parents[3], depths[3];
 *   int64_t reached = bfs_search(graph, 0, parents, depths);
 *   bfs_graph_free(graph);
 *
 * Threads: any number may search a graph at once, each call by threads of its own.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bfs_graph bfs_graph;

/* Why this thread's last call failed: one sentence, valid until its next call. */
const char* bfs_last_error(void);

typedef struct {
  int is_directed; /* 1: an entry is an arc from the row's vertex; 0: it is searched both ways */
  int threads;     /* 0: as many as the machine runs at once */
} bfs_options;

/* Row v is the neighbors from offsets[v] up to offsets[v + 1], in any order; there are vertices + 1
 * offsets. Both arrays may be freed after. options: null for zeros. Null where it fails. */
bfs_graph* bfs_graph_new(uint64_t vertices, const uint64_t* offsets, const uint64_t* neighbors,
                         const bfs_options* options);
/* The same with neighbors of 32 bits. */
bfs_graph* bfs_graph_new32(uint64_t vertices, const uint64_t* offsets, const uint32_t* neighbors,
                           const bfs_options* options);
void bfs_graph_free(bfs_graph* graph);

/* Fills an entry for each vertex: its parent in the tree and the edges from the root, the root
 * itself and 0 for the root, -1 for a vertex that was not reached. Either array may be null.
 * Returns how many vertices were reached, or -1 where it fails. */
int64_t bfs_search(const bfs_graph* graph, uint64_t root, int64_t* parents, int64_t* depths);

#ifdef __cplusplus
}
#endif
