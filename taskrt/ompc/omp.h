/* What a translated OpenMP program includes: see translate.h. gcc's and clang's C. */
#ifndef TASKRT_OMPC_OMP_H_
#define TASKRT_OMPC_OMP_H_

#include <stddef.h>

#include "taskrt/ompc.h"
#include "taskrt/ompc/omp_calls.h"

/* A pointer, or an array, which becomes one. */
#define OMPC_IS_POINTER(X) (__builtin_classify_type(X) == 5)
#define OMPC_IS_ARRAY(X) (!__builtin_types_compatible_p(__typeof__(X), __typeof__(((void)0, (X)))))
/* A structure or union. */
#define OMPC_IS_RECORD(X) (__builtin_classify_type(X) == 12 || __builtin_classify_type(X) == 13)

/* What an element of a list means, and its size: 0, not known here, for a pointer's block. */
#define OMPC_BLOCK(X) ((void*)__builtin_choose_expr(OMPC_IS_POINTER(X), (X), &(X)))
#define OMPC_BYTES(X) (OMPC_IS_POINTER(X) && !OMPC_IS_ARRAY(X) ? (size_t)0 : sizeof(X))
#define OMPC_PART(X, lower) ((void*)&(X)[lower])

#define OMPC_MAP(X, type) make_map_desc(OMPC_BLOCK(X), 0, OMPC_BYTES(X), type)
#define OMPC_MAP_PART(X, lower, length, type) \
  make_map_desc(&(X)[0], (lower) * sizeof((X)[0]), (length) * sizeof((X)[0]), type)

/* A variable that a target uses: a pointer as it is, of all else its place; of scalars that no map
 * names a copy; and the map that none names. */
#define OMPC_IS_PLAIN_POINTER(X) (OMPC_IS_POINTER(X) && !OMPC_IS_ARRAY(X))
#define OMPC_PLACE(X) ((void*)__builtin_choose_expr(OMPC_IS_PLAIN_POINTER(X), (X), &(X)))
#define OMPC_COPIED(X) (OMPC_IS_POINTER(X) || OMPC_IS_RECORD(X) ? (size_t)0 : sizeof(X))
#define OMPC_MAP_PRESENT(P) ((P) == NULL ? NULL : make_map_desc((P), 0, 0, OMPC_WHERE_PRESENT))
#define OMPC_IMPLIED_MAP(X)                                        \
  (OMPC_IS_PLAIN_POINTER(X) ? OMPC_MAP_PRESENT(OMPC_PLACE(X))      \
   : OMPC_IS_ARRAY(X) || OMPC_IS_RECORD(X)                         \
       ? make_map_desc((const void*)&(X), 0, sizeof(X), OMPC_BOTH) \
       : NULL)
/* In the target: where the variable is, whose argument is there. */
#define OMPC_AT(X, argument) (OMPC_IS_PLAIN_POINTER(X) ? (void*)&(argument) : (argument))

/* A scalar into an element of args, and out of it. */
#define OMPC_PUT(element, type, value)                                           \
  do {                                                                           \
    _Static_assert(sizeof(type) <= sizeof(void*), "a task's scalar is 8 bytes"); \
    type ompc_value = (value);                                                   \
    __builtin_memcpy(&(element), &ompc_value, sizeof ompc_value);                \
  } while (0)
#define OMPC_GET(type, name, element) \
  type name;                          \
  __builtin_memcpy(&name, &(element), sizeof name)

/* The iterations of a loop from `lower` to before or to `upper`. */
#define OMPC_UP_TO(lower, upper, step, is_closed)                                                \
  ((upper) > (lower)                   ? (long)(((upper) - (lower) - !(is_closed)) / (step) + 1) \
   : (is_closed) && (upper) == (lower) ? 1L                                                      \
                                       : 0L)
#define OMPC_DOWN_TO(lower, upper, step, is_closed) OMPC_UP_TO(upper, lower, -(step), is_closed)
#define OMPC_UNTIL(lower, upper, step) ((long)(((upper) - (lower)) / (step)))

#endif /* TASKRT_OMPC_OMP_H_ */
