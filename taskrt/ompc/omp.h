/* What a translated OpenMP program includes: see translate.h. gcc's and clang's C. */
#ifndef TASKRT_OMPC_OMP_H_
#define TASKRT_OMPC_OMP_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taskrt/ompc.h"

/* OpenMP has no way to return an error. */
static inline void ompc_require(int answer) {
  if (answer == 0) return;
  fprintf(stderr, "%s\n", ompc_error());
  exit(2);
}

static inline void ompc_at_exit(void) {
  if (ompc_has_begun()) ompc_finish();
}
static inline void ompc_begin(void) {
  if (ompc_has_begun()) return;
  ompc_require(ompc_init(NULL));
  atexit(ompc_at_exit);
}

/* The kernel of this name, or one that is the function. */
static inline void* ompc_kernel_or(const char* name, ompc_function function) {
  void* kernel = ompc_target_get_kernel(name);
  if (kernel != NULL) return kernel;
  const struct ompc_kernel registered = {.name = name, .function = function};
  ompc_require(ompc_target_register(&registered));
  return ompc_target_get_kernel(name);
}

/* A pointer, or an array, which becomes one. */
#define OMPC_IS_POINTER(X) (__builtin_classify_type(X) == 5)
#define OMPC_IS_ARRAY(X) (!__builtin_types_compatible_p(__typeof__(X), __typeof__(((void)0, (X)))))

/* What an element of a list means, and its size: 0, not known here, for a pointer's block. */
#define OMPC_BLOCK(X) ((void*)__builtin_choose_expr(OMPC_IS_POINTER(X), (X), &(X)))
#define OMPC_BYTES(X) (OMPC_IS_POINTER(X) && !OMPC_IS_ARRAY(X) ? (size_t)0 : sizeof(X))
#define OMPC_PART(X, lower) ((void*)&(X)[lower])

#define OMPC_MAP(X, type) make_map_desc(OMPC_BLOCK(X), 0, OMPC_BYTES(X), type)
#define OMPC_MAP_PART(X, lower, length, type) \
  make_map_desc(&(X)[0], (lower) * sizeof((X)[0]), (length) * sizeof((X)[0]), type)

/* A scalar into an element of args, and out of it. */
#define OMPC_PUT(element, type, value)                                           \
  do {                                                                           \
    _Static_assert(sizeof(type) <= sizeof(void*), "a task's scalar is 8 bytes"); \
    type ompc_value = (value);                                                   \
    memcpy(&(element), &ompc_value, sizeof ompc_value);                          \
  } while (0)
#define OMPC_GET(type, name, element) \
  type name;                          \
  memcpy(&name, &(element), sizeof name)

#endif /* TASKRT_OMPC_OMP_H_ */
