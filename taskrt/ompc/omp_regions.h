/* What a translated OpenMP program calls for parallel regions and the work that their members share
 * (translate/translate.h).
 *
 * Threads: any. Outside of a region the caller is the one member of the program's own. Each member
 * of a region calls the functions of loops and barriers, in the same order. Errors end the program,
 * as ompc_require does.
 */
#ifndef TASKRT_OMPC_OMP_REGIONS_H_
#define TASKRT_OMPC_OMP_REGIONS_H_

#define __need_size_t
#define __need_NULL
#include <stddef.h>

#include "taskrt/ompc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The members of a new region call function(args); returns when all have, and their tasks have
 * ended. `threads`: num_threads, 0 without the clause; `condition`: if's. */
void ompc_parallel(ompc_function function, void** args, int threads, int condition);
/* The number of the calling task's member. */
int ompc_member(void);
void ompc_barrier(void);

/* omp_sched_t's numbers; and the one of omp_set_schedule or OMP_SCHEDULE. */
enum { OMPC_STATIC = 1, OMPC_DYNAMIC = 2, OMPC_GUIDED = 3, OMPC_AUTO = 4, OMPC_RUNTIME = 5 };
/* A loop, on the stack of a member. */
struct ompc_loop {
  long count;     /* of iterations, behind */
  long base;      /* those of earlier teams */
  long iteration; /* where the loop has `ordered`: the one that runs */
  /* The members' own: */
  long chunk, turn;
  int kind, is_last;     /* the last chunk was this member's */
  int is_alone, has_end; /* no other member; no other team comes behind */
  void* shared;          /* the counter */
  struct ompc_loop* outer;
};
/* Whose the iterations are: all of a team's members; in a league of teams, of the team alone; the
 * calling thread's. OMPC_BINDS: of the team and the thread where no parallel region is in the teams
 * region. */
enum { OMPC_ORDERED = 1, OMPC_OF_TEAM = 2, OMPC_ALONE = 4, OMPC_BINDS = 8 };
/* `chunk` 0: the schedule's own. */
void ompc_loop_begin(struct ompc_loop* loop, int kind, long count, long chunk, int flags);
/* The iterations from *first to before *last are the caller's next; 0: there are none left. */
int ompc_loop_next(struct ompc_loop* loop, long* first, long* last);
void ompc_loop_end(struct ompc_loop* loop, int nowait);
/* The statement of `ordered`, of the innermost loop that has the clause; after an iteration without
 * one, skip. */
void ompc_ordered_begin(void);
void ompc_ordered_end(void);
void ompc_ordered_skip(struct ompc_loop* loop);

/* A league of teams, one after the other: for (ompc_teams_begin(&teams, n);
 * ompc_teams_next(&teams);). n 0: as many as omp_set_num_teams says, or one. */
struct ompc_teams {
  int next, count;
  int outer_number, outer_count, outer_is_initial;
};
void ompc_teams_begin(struct ompc_teams* teams, int count);
int ompc_teams_next(struct ompc_teams* teams);

/* One member at a time is between them. */
void ompc_reduce_begin(void);
void ompc_reduce_end(void);

/* copyprivate: `count` variables of each member get the values of those of the one that has run the
 * single region. */
void ompc_copyprivate(int is_source, int count, void* const* variables, const size_t* bytes);

/* A threadprivate variable, of static duration. */
struct ompc_threadprivate {
  void* original;
  size_t bytes;
  void* copies; /* NULL at first */
};
/* Keeps the value that the variable has now, the first of each thread's copy: before the program
 * changes it. */
void ompc_threadprivate_keep(struct ompc_threadprivate* variable);
/* The copy of the thread that runs the calling task. */
void* ompc_threadprivate_of(struct ompc_threadprivate* variable);
/* The same, of the variable at this place, whose value is kept by the first call. */
void* ompc_threadprivate_at(void* original, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_OMP_REGIONS_H_ */
