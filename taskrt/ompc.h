/* The paper's C interface: tasks on the host and on devices, whose data are named by pointers.
 *
 *   ompc_init(NULL);
 *   void* kernel = ompc_target_get_kernel("kernel.0");
 *   int queue_id = ompc_target_create_queue();
 *   map_descs[0] = make_map_desc(A, 0, ts * ts * sizeof(float), 0);
 *   map_descs[1] = make_map_desc(B, 0, ts * ts * sizeof(float), 1);
 *   tasklet_target_create(kernel, queue_id, 2, args, 1, in_data, 1, out_data, 2, map_descs, 1);
 *   tasklet_wait_all();
 *   ompc_finish();
 *
 * Blocks. A dependency or a map names a block of memory by a pointer to it or into it. Its size is
 * that of a map, this task's or an earlier one (make_map_desc, ompc_target_map); the runtime
 * copies all of a block or nothing. Until a map gives a size, a dependency only orders tasks. A map
 * that begins where a block does and is larger makes the block larger: its value is brought home
 * for that where a device has it, which waits for its tasks. A map that shares memory with a block
 * in any other way, and is no part of it, is refused.
 *
 * The end of a block is said (ompc_target_unmap): memory that is freed, or a stack frame's, may be
 * something else later. Until then a block's memory is the runtime's, and is neither read nor
 * written but by tasks, and after tasklet_wait_all and tasklet_wait_on.
 *
 * What a task does. `in` dependencies are read. `out` are read and changed, as the paper's programs
 * mean it, unless a map of the task says that all of the block only comes back to the host (copy
 * type 1): then it is written, all of it. What a map takes to the device is read, what one brings
 * back changed, without a dependency too.
 *
 * Arguments are copied when the task is created. Where it runs, an argument that points into one of
 * the task's blocks, or is the host pointer of one of its maps, points to the same place of the
 * copy that is there; all others are as they were given, and a scalar is its bytes at the beginning
 * of its element.
 *
 * Threads: any, and tasks, all functions; ompc_init and ompc_finish one thread. Tasks are ordered
 * as they are created. A function of a task has a stack of 1 MiB. Errors: what returns int returns
 * 0, or another number; ompc_error is the sentence. tasklet_wait_all
 * returns the errors of task creation again, for programs that did not look.
 *
 * Source: [WLBS20] sections 3.1, 3.3 and Program 3. The paper shows the calls; the parameters that
 * it does not show, and the functions for init, end and waiting, are ours.
 */
#ifndef TASKRT_OMPC_H_
#define TASKRT_OMPC_H_

/* No more of it: a program that is preprocessed has it in its text. */
#define __need_size_t
#define __need_NULL
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fields that are zero are defaults. */
struct ompc_options {
  /* Kinds and how many of each: "sim:2", "sim:1,opencl:2"; "" is the host alone. NULL: what the
   * environment variable OMPC_DEVICES says, without one the host alone. */
  const char* devices;
  int workers;         /* of the host: OMP_NUM_THREADS, else as many as the machine does at once */
  size_t device_bytes; /* of each device's memory that is used: what it has */
  /* 0: ompc_init fails where a device is not there, unless the environment variable
   * OMPC_ALLOW_MISSING_DEVICES is 1. Else the program goes on with those that are, and standard
   * error says which are not. */
  int allow_missing_devices;
};
/* NULL: all defaults. */
int ompc_init(const struct ompc_options* options);
/* Waits for all tasks, as tasklet_wait_all. */
int ompc_finish(void);
/* Is it between ompc_init and ompc_finish? */
int ompc_has_begun(void);
/* Of this thread's last call that failed; until its next one. */
const char* ompc_error(void);

/* What a task computes, from copies of its arguments. */
typedef void (*ompc_function)(void** args);

/* A kernel by its name. A device runs what is there for its kind; the host runs `function` where no
 * device can run any. */
struct ompc_kernel {
  const char* name;
  ompc_function function; /* on simulated devices and on the host */
  double flops;           /* of one task, for simulated time */

  /* OpenCL C: its arguments are the pointers among the task's arguments, each the beginning of a
   * block, in order, and then the scalars. The task has no other blocks. */
  const char* opencl_function; /* NULL: none */
  const char* opencl_source;   /* its text; or NULL, and then one of */
  const char* opencl_source_file;
  const char* opencl_binary_file; /* what the device's own compiler has made */
  const char* opencl_build_options;
  size_t opencl_global[3]; /* work items; those that are zero are no dimensions */
  size_t opencl_local[3];  /* of a group; none, or no fewer dimensions */
  int opencl_units;        /* how many of it may run at a time: its copies on an FPGA; 0: one */

  /* CUDA: its arguments are as OpenCL's. */
  const char* cuda_function;   /* NULL: none */
  const char* cuda_image;      /* PTX, as a text; or */
  const char* cuda_image_file; /* PTX, or what it was compiled to */
  unsigned cuda_grid[3];       /* thread blocks; those that are zero are one */
  unsigned cuda_block[3];      /* threads of each, likewise */
  unsigned cuda_shared_bytes;  /* of each, beyond what the function has */

  /* Of both. */
  int scalars_count;
  const size_t* scalar_bytes; /* of each scalar, at most eight each */
};
/* The name must be new. The texts are copied. */
int ompc_target_register(const struct ompc_kernel* kernel);
/* NULL: none was registered by this name. */
void* ompc_target_get_kernel(const char* name);

/* A number to give to tasklet_target_create; below zero: an error. 0 is there without it. It has
 * no effect: tasks are ordered by what they do to blocks alone, whatever their queue, and the
 * runtime chooses the device, which has queues of its own. The paper names a queue in Program 3 and
 * orders tasks by dependencies (section 3.1); with an order of its own, a queue would have its
 * independent tasks wait for each other. */
int ompc_target_create_queue(void);

enum { OMPC_TO_DEVICE = 0, OMPC_TO_HOST = 1, OMPC_BOTH = 2 };
/* `size` bytes that begin `offset` bytes behind `host`; size 0: all of the block that is there.
 * NULL: an error. Valid until ompc_finish, for any number of tasks. */
void* make_map_desc(const void* host, size_t offset, size_t size, int copy_type);

/* A task on a device. `is_async` 0: returns when it has ended; other tasks run meanwhile. A task
 * creates one so that uses other blocks than itself: else it is refused, as tasklet_wait_on. */
int tasklet_target_create(void* kernel, int queue_id, int args_count, void* const* args,
                          int in_count, void* const* in_data, int out_count, void* const* out_data,
                          int map_count, void* const* map_descs, int is_async);
/* A task on the host. `name`: for errors. */
int tasklet_create_named(const char* name, ompc_function function, int args_count,
                         void* const* args, int in_count, void* const* in_data, int out_count,
                         void* const* out_data);
#define tasklet_create(function, ...) tasklet_create_named(#function, function, __VA_ARGS__)

/* All tasks created so far have ended, and all blocks are up to date in the host's memory. The
 * first error, with its task's name and accesses; what had not begun then was left out. Not by a
 * task, which would wait for itself: an error. */
int tasklet_wait_all(void);
/* All tasks so far that change the block have ended, and it may be read on the host. Not by a task
 * that uses it. */
int tasklet_wait_on(const void* pointer);

/* Gives a block's size before tasks use it. */
int ompc_target_map(const void* pointer, size_t size);
/* The end of the block that the pointer points into, if there is one: all tasks that use it have
 * ended, its newest value is in the host's memory, and the runtime knows nothing of it any more.
 * Not by a task that uses it, and no other thread creates one meanwhile. */
int ompc_target_unmap(const void* pointer);
/* tasklet_wait_all, and then the end of all blocks whose size came from no ompc_target_map: what
 * the end of an OpenMP parallel region is for its data. */
int ompc_target_end_region(void);

/* Since ompc_init. */
struct ompc_counts {
  unsigned long tasks, tasks_on_devices;
  unsigned long host_to_device, device_to_host, device_to_device; /* copies */
};
int ompc_get_counts(struct ompc_counts* counts);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_H_ */
