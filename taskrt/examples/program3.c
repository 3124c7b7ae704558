/* The paper's Program 3, completed to a program: kernel.0 reads A and writes B on a device, and then
 * a task of the host does, from B to C. The paper writes out_data[1], which its array does not have.
 * Run: OMPC_DEVICES=sim:2 program3 */
#include <stdio.h>
#include <stdlib.h>

#include "taskrt/ompc.h"

enum { ts = 64 };
static float A[ts * ts], B[ts * ts], C[ts * ts];

static void transpose(void** args) {
  const float* from = args[0];
  float* to = args[1];
  for (int i = 0; i < ts; i++) {
    for (int j = 0; j < ts; j++) to[j * ts + i] = from[i * ts + j];
  }
}
static void hostFunc(void** args) { transpose(args); }

static void end_of(int code) {
  if (code == 0) return;
  fprintf(stderr, "%s\n", ompc_error());
  exit(2);
}

int main(void) {
  end_of(ompc_init(NULL));
  const struct ompc_kernel kernel0 = {.name = "kernel.0", .function = transpose};
  end_of(ompc_target_register(&kernel0));
  for (int i = 0; i < ts * ts; i++) A[i] = (float)i;

  void *kernel, *args[2], *in_data[1], *out_data[1], *map_descs[2];
  int queue_id;
  args[0] = (void*)A;
  args[1] = (void*)B;
  in_data[0] = (void*)A;
  out_data[0] = (void*)B;
  map_descs[0] = make_map_desc(A /* host buffer */, 0 /* offset */, ts * ts * sizeof(float) /* size */,
                               0 /* copy type */);
  map_descs[1] = make_map_desc(B, 0, ts * ts * sizeof(float), 1);

  kernel = ompc_target_get_kernel("kernel.0");
  queue_id = ompc_target_create_queue();

  tasklet_target_create(kernel /* kernelobj */, queue_id /* device queue id */, 2 /* num of args */,
                        args, 1 /* num of in deps */, in_data /* in deps */, 1 /* num of outdeps */,
                        out_data /* outdeps */, 2 /* num of map infos */, map_descs /* map infos */,
                        1 /* isAsync */);
  args[0] = in_data[0] = (void*)B;
  args[1] = out_data[0] = (void*)C;
  tasklet_create(hostFunc, 2, args, 1, in_data, 1, out_data);

  end_of(tasklet_wait_all());
  int wrong = 0;
  for (int i = 0; i < ts * ts; i++) {
    wrong += B[i] != A[i % ts * ts + i / ts];
    wrong += C[i] != A[i];
  }
  struct ompc_counts counts;
  ompc_get_counts(&counts);
  printf("%lu tasks, %lu on devices; %lu copies to devices, %lu back; %d elements are wrong\n",
         counts.tasks, counts.tasks_on_devices, counts.host_to_device, counts.device_to_host, wrong);
  end_of(ompc_finish());
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
