/* The calls of translated OpenMP programs for taskgraph (translate/translate.h): the first time,
 * its block is run and its tasks are recorded; later, the record is replayed and the block is not
 * run.
 *
 * Threads: any. Errors end the program, as ompc_require does.
 * Source: OpenMP 6.0, section 14.3.
 */
#ifndef TASKRT_OMPC_OMP_GRAPH_H_
#define TASKRT_OMPC_OMP_GRAPH_H_

#define __need_size_t
#define __need_NULL
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A taskgraph construct that is met. */
struct ompc_graph {
  const void* construct; /* any address that is this construct's alone */
  long id;               /* graph_id */
  int is_reset;          /* graph_reset: a record is made anew */
  int is_plain;          /* if(0): the block is run, and not recorded */
  int nogroup;
  /* The variables outside of the block that it uses: where they are, and their sizes. A replayed
   * task has those of the construct that replays it. */
  int count;
  void* const* places;
  const size_t* bytes;
  const int* watched; /* 1: a record holds as long as the variable has the value that it had */
};
/* 0: a record is replayed. Else the block is to be run. */
int ompc_graph_begin(const struct ompc_graph* graph);
/* Behind the block; `ran`: what begin has returned. */
void ompc_graph_end(const struct ompc_graph* graph, int ran);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_OMP_GRAPH_H_ */
