/* Graphs from files, for C and for languages that call C.
 *
 *   graph_list* list = graph_read("roads.gr.gz", NULL);
 *   if (list == NULL) puts(graph_last_error());
 *   puts(graph_report(list));                       (how the file was read)
 *   graph_rows* rows = graph_rows_new(list, GRAPH_EDGES);
 *   ... graph_rows_offsets(rows), graph_rows_neighbors(rows) ...
 *   graph_rows_free(rows);
 *   graph_list_free(list);
 *
 * Vertices are numbers from 0 on; graph_id has the file's id of each. Functions that return int
 * return 0, or another number where graph_last_error() says the reason; pointers are null then.
 * Objects are freed by the functions named _free, which take null.
 *
 * Threads: any may read an object; one at a time may free it.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graph_list graph_list;
typedef struct graph_rows graph_rows;

/* Why this thread's last call failed: one sentence, valid until its next call. */
const char* graph_last_error(void);

typedef enum {
  GRAPH_AS_THE_FILE_SAYS = 0,
  GRAPH_DIRECTED,  /* edges of a file that says no direction are arcs */
  GRAPH_UNDIRECTED /* arcs are edges */
} graph_direction;

typedef struct {
  const char* format; /* as "dimacs-gr" (apps/graph/README.md); null: guessed */
  graph_direction direction;
  int keep_weights; /* 0: no */
  int threads;      /* 0: as many as there are PUs */
} graph_read_options;

/* options: null for zeros. "-" is standard input. */
graph_list* graph_read(const char* path, const graph_read_options* options);
/* Copies the edges, whose ends are below `vertices`. */
graph_list* graph_list_new(uint64_t vertices, int is_directed, uint64_t edges, const uint64_t* from,
                           const uint64_t* to);
void graph_list_free(graph_list* list);
/* In the format of this name; the file appears whole or not at all. */
int graph_save(const graph_list* list, const char* format, const char* path);

uint64_t graph_vertices(const graph_list* list);
uint64_t graph_edges(const graph_list* list);
int graph_is_directed(const graph_list* list);
/* The ends of the edges first, first + 1, ... in the file's order. */
int graph_ends(const graph_list* list, uint64_t first, uint64_t count, uint64_t* from,
               uint64_t* to);
/* One for each edge; null where there are none. */
const double* graph_weights(const graph_list* list);
/* How the file was read, in one line; empty for graph_list_new. */
const char* graph_report(const graph_list* list);
/* The file's id of a vertex below graph_vertices, and the vertex of an id, -1 where no vertex has
 * it. */
uint64_t graph_id(const graph_list* list, uint64_t vertex);
int64_t graph_vertex(const graph_list* list, uint64_t id);

typedef enum {
  GRAPH_EDGES = 0,   /* a row has the other ends of its vertex' edges, whatever their direction */
  GRAPH_ARCS,        /* the heads of the arcs from it */
  GRAPH_ARCS_AGAINST /* the tails of the arcs to it */
} graph_rows_of;

/* Ascending, each neighbor once, without self-loops. */
graph_rows* graph_rows_new(const graph_list* list, graph_rows_of rows);
void graph_rows_free(graph_rows* rows);
/* graph_vertices + 1 numbers: row v is the neighbors from offsets[v] up to offsets[v + 1]. */
const uint64_t* graph_rows_offsets(const graph_rows* rows);
const uint32_t* graph_rows_neighbors(const graph_rows* rows);

#ifdef __cplusplus
}
#endif
