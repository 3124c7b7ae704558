/* Exact counts of paths and cycles, for C and for languages that call C.
 *
 *   const uint64_t from[] = {0, 1, 2, 3}, to[] = {1, 2, 3, 0};     (a square)
 *   char* count = simpath_count(4, 4, from, to, 0, 2, NULL);
 *   puts(count == NULL ? simpath_last_error() : count);            ("2")
 *   simpath_free(count);
 *
 * Threads: any number of calls may run at once, each with threads of its own.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SIMPATH_PATHS = 0, /* between source and target */
  SIMPATH_ALL_PAIRS, /* paths between any two different vertices */
  SIMPATH_CYCLES
} simpath_shape;

typedef struct {
  simpath_shape shape;
  int visits_all;        /* 1: only paths or cycles through all vertices (Hamiltonian) */
  int is_directed;       /* 1: edges are arcs from `from` to `to` */
  uint64_t max_length;   /* edges of a path or cycle at most; 0: any number */
  uint64_t memory_limit; /* bytes of all states; 0: any number */
  int threads;           /* 0: as many as the machine runs at once */
} simpath_options;

/* Why this thread's last call failed: one sentence, valid until its next call. */
const char* simpath_last_error(void);

/* The count in decimal digits, which simpath_free frees; null where it fails. Ends of edges, source
 * and target are below `vertices`; source and target have a meaning for SIMPATH_PATHS only.
 * options: null for zeros. */
char* simpath_count(uint64_t vertices, uint64_t edges, const uint64_t* from, const uint64_t* to,
                    uint64_t source, uint64_t target, const simpath_options* options);
void simpath_free(char* count);

#ifdef __cplusplus
}
#endif
