/* The paper's num_units and work_item: OpenCL computes as many elements as there are work items. */
#include <stdio.h>

#include "taskrt/ompc.h"

enum { COUNT = 64, PARTS = 6 };

/* On the host and on simulated devices: all of it. */
void scale(int* values, int factor) {
  for (int i = 0; i < COUNT; i++) values[i] *= factor;
}
static const char source[] =
    "__kernel void scale(__global int *values, int factor) {\n"
    "  values[get_global_id(0)] *= factor;\n"
    "}\n";

int main(void) {
  static int values[PARTS][COUNT];
  int wrong = 0;
  const size_t bytes[] = {sizeof(int)};
  const struct ompc_kernel kernel = {.name = "scale",
                                     .function = (ompc_function)0,
                                     .opencl_function = "scale",
                                     .opencl_source = source,
                                     .scalars_count = 1,
                                     .scalar_bytes = bytes};
  for (int part = 0; part < PARTS; part++)
    for (int i = 0; i < COUNT; i++) values[part][i] = i;
  if (ompc_init(NULL) != 0) return 2;
  /* Without OpenCL the function is the kernel. */
  const int has_opencl = ompc_target_register(&kernel) == 0;
#pragma omp parallel
#pragma omp single
  for (int part = 0; part < PARTS; part++) {
#pragma omp target map(tofrom : values[part][0 : COUNT]) num_units(2) work_item(COUNT / 2) nowait
    scale(values[part], part + 2);
  }
  for (int part = 0; part < PARTS; part++)
    for (int i = 0; i < COUNT; i++) {
      const int is_scaled = !has_opencl || i < COUNT / 2;
      wrong += values[part][i] != (is_scaled ? part + 2 : 1) * i;
    }
  struct ompc_counts counts;
  ompc_get_counts(&counts);
  wrong += has_opencl && counts.tasks_on_devices != PARTS;
  fprintf(stderr, "%s\n", has_opencl ? "with OpenCL" : "without OpenCL");
  puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
