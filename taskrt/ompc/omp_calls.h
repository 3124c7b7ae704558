/* What a translated OpenMP program calls (translate/translate.h): tasks that are children of the
 * task that creates them, in groups, with copies of variables; data regions; critical sections.
 *
 * Dependencies order the children of one task among themselves. Data that devices have are ordered
 * among all tasks. Threads, stacks and errors: as in ompc.h.
 */
#ifndef TASKRT_OMPC_OMP_CALLS_H_
#define TASKRT_OMPC_OMP_CALLS_H_

#include <stddef.h>

#include "taskrt/ompc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fields that are zero are defaults. */
struct ompc_task {
  const char* name; /* for errors */
  ompc_function function;
  /* Of a task for devices: ompc_target_get_kernel's. NULL: it runs the function on the host. */
  void* kernel;
  int args_count;
  void* const* args;
  /* Of each argument: it points to so many bytes, and the task gets a pointer to its own copy of
   * them; 0: the task gets the argument. NULL: it gets all. */
  const size_t* copied;
  int in_count;
  void* const* in_data;
  int out_count;
  void* const* out_data;
  int map_count;
  void* const* maps;
  int priority;
  int is_undeferred; /* the call returns when the task has ended */
  int is_final;      /* its children run at once, in their creator's place */
};
int ompc_task_create(const struct ompc_task* task);
/* The children of the calling task have ended, and what devices have of their maps is home. */
int ompc_task_wait(void);
/* Those of them have ended that a task with these dependencies would come after. */
int ompc_task_wait_for(int in_count, void* const* in_data, int out_count, void* const* out_data);
/* Others may run. */
int ompc_task_yield(void);
int ompc_in_final(void);
/* A taskgroup: end returns when all tasks have ended that were created since, by them too. */
int ompc_group_begin(void);
int ompc_group_end(void);
/* So many tasks for a loop of `count` iterations, by the clauses grainsize and num_tasks; zero:
 * there is none. */
long ompc_loop_tasks(long count, long grainsize, long num_tasks);

/* One task at a time is between them, of all sections of one name. A task that waits meanwhile
 * keeps it. `section`: a variable of the section, NULL at first, that lives as long as the program;
 * keeps what was found by the name. */
int ompc_critical_begin(void** section, const char* name);
int ompc_critical_end(void** section);

/* make_map_desc's type for maps to no side: what a device has is lost at its end. And for all of
 * the block that is there, both ways, where one is. */
enum { OMPC_SCRATCH = 100, OMPC_WHERE_PRESENT = 101 };
/* Maps, as make_map_desc gives them; NULL: is left out. */
int ompc_data_begin(int map_count, void* const* maps);
/* `deletes`: the memory is the devices' no more, however often it was begun. */
int ompc_data_end(int map_count, void* const* maps, int deletes);
int ompc_data_update(int map_count, void* const* maps); /* in the maps' direction */

/* OpenMP has no way to return an error: the error of a call, on standard error, and the end. */
void ompc_require(int answer);
/* ompc_init, where the program has not. */
void ompc_begin(void);
/* The kernel of this name, or one that is the function. */
void* ompc_kernel_or(const char* name, ompc_function function);
/* The kernel with so many units (0: as registered) and so many work items: opencl_units and
 * opencl_global of struct ompc_kernel. Simulated devices keep to the units. NULL: an error. */
void* ompc_kernel_with(void* kernel, int units, size_t items0, size_t items1, size_t items2);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_OMP_CALLS_H_ */
