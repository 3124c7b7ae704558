/* What a translated OpenMP program calls (translate/translate.h): tasks that are children of the
 * task that creates them, in groups, with copies of variables; data regions; critical sections.
 *
 * Dependencies order the children of one task among themselves. Data that devices have are ordered
 * among all tasks. Threads, stacks and errors: as in ompc.h.
 */
#ifndef TASKRT_OMPC_OMP_CALLS_H_
#define TASKRT_OMPC_OMP_CALLS_H_

#define __need_size_t
#define __need_NULL
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
  int is_undeferred;      /* the call returns when the task has ended */
  int is_final;           /* its children run at once, in their creator's place */
  __UINTPTR_TYPE__ event; /* ompc_event's, of detach: tasks that come after this one come after the
                             event, too */
  /* In the block of a taskgraph: */
  unsigned long saved; /* bit i: a replayed task has the recorded value of argument i */
  int is_once;         /* the task is not recorded */
};
int ompc_task_create(const struct ompc_task* task);
/* Are tasks deferred, or recorded, here? Not where a final task creates them, or a team of one
 * thread. */
int ompc_defers(void);
/* A task that is not deferred, without dependencies, maps and copies: it has ended. */
void ompc_task_run(ompc_function function, void* const* args, int is_final);
/* The children of the calling task have ended, and what devices have of their maps is home. */
int ompc_task_wait(void);
/* Those of them have ended that a task with these dependencies would come after. */
int ompc_task_wait_for(int in_count, void* const* in_data, int out_count, void* const* out_data);
/* Others may run. */
int ompc_task_yield(void);
int ompc_in_final(void);
/* detach: an event that the task which is created next does not end without. */
__UINTPTR_TYPE__ ompc_event(void);
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

/* make_map_desc's type for maps to no side: what a device has is lost at its end, unless a data
 * region has the block. For all of the block that is there, both ways, where one is. And as
 * OMPC_TO_DEVICE, of a block that the task changes on the device: that is lost likewise. */
enum { OMPC_SCRATCH = 100, OMPC_WHERE_PRESENT = 101, OMPC_TO_LOSE = 102 };
/* Maps, as make_map_desc gives them; NULL: is left out. */
int ompc_data_begin(int map_count, void* const* maps);
/* `deletes`: the memory is the devices' no more, however often it was begun. */
int ompc_data_end(int map_count, void* const* maps, int deletes);
int ompc_data_update(int map_count, void* const* maps); /* in the maps' direction */

/* OpenMP has no way to return an error: the error of a call, on standard error, and the end. */
void ompc_require(int answer);
/* An error directive at execution: "file:line: message" on standard error, and, if it is fatal, the
 * end with status 1. message NULL: none was given. */
void ompc_report(int is_fatal, const char* message, const char* file, int line);
/* ompc_init, where the program has not. */
void ompc_begin(void);
/* The kernel of this name, or one that is the function. */
void* ompc_kernel_or(const char* name, ompc_function function);
/* The kernel of this name, or the one that `kernel` describes: a loop, whose OpenCL text has as its
 * arguments `blocks` blocks, and then of each argument of the task its value, or the bytes that its
 * pointer is behind its block's begin. Its function is the kernel where a device does not build the
 * text, and for tasks whose pointers are not into so many blocks. */
void* ompc_kernel_of_loop(const struct ompc_kernel* kernel, int blocks);
/* The kernel with so many units (0: as registered) and so many work items: opencl_units and
 * opencl_global of struct ompc_kernel. Simulated devices keep to the units. NULL: an error. */
void* ompc_kernel_with(void* kernel, int units, size_t items0, size_t items1, size_t items2);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_OMP_CALLS_H_ */
