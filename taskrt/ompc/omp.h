/* What a translated OpenMP program includes: see translate.h. gcc's and clang's C. */
#ifndef TASKRT_OMPC_OMP_H_
#define TASKRT_OMPC_OMP_H_

#define __need_size_t
#define __need_NULL
#include <stddef.h>

#include "taskrt/ompc.h"
#include "taskrt/ompc/omp_atomic.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/omp_depend.h"
#include "taskrt/ompc/omp_graph.h"
#include "taskrt/ompc/omp_regions.h"

/* A pointer, or an array, which becomes one. */
#define OMPC_IS_POINTER(X) (__builtin_classify_type(X) == 5)
#define OMPC_IS_ARRAY(X) (!__builtin_types_compatible_p(__typeof__(X), __typeof__(((void)0, (X)))))
/* A structure or union. */
#define OMPC_IS_RECORD(X) (__builtin_classify_type(X) == 12 || __builtin_classify_type(X) == 13)

/* What an element of a list means, and its size: 0, not known here, for a pointer's block. */
#define OMPC_BLOCK(X) ((void*)__builtin_choose_expr(OMPC_IS_POINTER(X), (X), &(X)))
/* Of a pointer variable in depend both are meant: the block, and the variable itself. */
#define OMPC_BLOCK_OR_PLACE(X) ((X) != NULL ? (void*)(X) : (void*)&(X))
#define OMPC_BYTES(X) (OMPC_IS_POINTER(X) && !OMPC_IS_ARRAY(X) ? (size_t)0 : sizeof(X))
#define OMPC_PART(X, lower) ((void*)&(X)[lower])

#define OMPC_MAP(X, type)                                     \
  (OMPC_IS_PLAIN_POINTER(X) ? OMPC_MAP_PRESENT(OMPC_PLACE(X)) \
                            : make_map_desc(OMPC_BLOCK(X), 0, OMPC_BYTES(X), type))
#define OMPC_MAP_PART(X, lower, length, type) \
  make_map_desc(&(X)[0], (lower) * sizeof((X)[0]), (length) * sizeof((X)[0]), type)

/* The elements of an array; and 1, of a row in an array of arrays. */
#define OMPC_LENGTH(X) (sizeof(X) / sizeof((X)[0]) * OMPC_IS_ROW(X))
#define OMPC_IS_ROW(X)                                                                          \
  sizeof(struct {                                                                               \
    _Static_assert(OMPC_IS_ARRAY(X), "a section without a length, or of rows, is of an array"); \
    char ompc_unused;                                                                           \
  })
/* A section of several dimensions. */
#define OMPC_MAP_SPAN(X, first, last, count, type) \
  ompc_map_span(&(X)[0], &(first), &(last) + 1, (size_t)(count) * sizeof(first), type)

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
/* The same with defaultmap: a copy type for each category, OMPC_AS_EVER, or OMPC_COPY,
 * firstprivate. */
#define OMPC_AS_EVER (-1)
#define OMPC_COPY (-2)
#define OMPC_CATEGORY(X, scalar, aggregate) \
  (OMPC_IS_ARRAY(X) || OMPC_IS_RECORD(X) ? (aggregate) : (scalar))
#define OMPC_COPIED_AS(X, scalar, aggregate)                                      \
  (OMPC_IS_PLAIN_POINTER(X)                              ? (size_t)0              \
   : OMPC_CATEGORY(X, scalar, aggregate) == OMPC_AS_EVER ? (size_t)OMPC_COPIED(X) \
   : OMPC_CATEGORY(X, scalar, aggregate) == OMPC_COPY    ? sizeof(X)              \
                                                         : (size_t)0)
#define OMPC_IMPLIED_MAP_AS(X, scalar, aggregate)                                  \
  (OMPC_IS_PLAIN_POINTER(X) || OMPC_CATEGORY(X, scalar, aggregate) == OMPC_AS_EVER \
       ? OMPC_IMPLIED_MAP(X)                                                       \
   : OMPC_CATEGORY(X, scalar, aggregate) == OMPC_COPY                              \
       ? NULL                                                                      \
       : make_map_desc((const void*)&(X), 0, sizeof(X), OMPC_CATEGORY(X, scalar, aggregate)))
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
#define OMPC_UP_TO(lower, upper, step, is_closed)                                        \
  ((upper) > (lower)                                                                     \
       ? (long)((OMPC_BETWEEN(lower, upper) - !(is_closed)) / (unsigned long)(step) + 1) \
   : (is_closed) && (upper) == (lower) ? 1L                                              \
                                       : 0L)
#define OMPC_DOWN_TO(lower, upper, step, is_closed) OMPC_UP_TO(upper, lower, -(step), is_closed)
#define OMPC_UNTIL(lower, upper, step)                                     \
  ((step) > 0 ? (long)(OMPC_BETWEEN(lower, upper) / (unsigned long)(step)) \
              : (long)(OMPC_BETWEEN(upper, lower) / (unsigned long)-(step)))
/* From the smaller to the larger one: elements of pointers (class 5), else numbers, whose own type
 * may not hold the difference. */
#define OMPC_BETWEEN(smaller, larger)                                           \
  (__builtin_classify_type(larger) == 5 ? (unsigned long)((larger) - (smaller)) \
                                        : (unsigned long)(larger) - (unsigned long)(smaller))

/* The most and the least value of X's type, for reductions by min and max. */
#define OMPC_CHAR(MOST)                                         \
  ((char)-1 < 0 ? ((MOST) ? __SCHAR_MAX__ : -__SCHAR_MAX__ - 1) \
                : ((MOST) ? 2 * __SCHAR_MAX__ + 1 : 0))
#define OMPC_LIMIT(X, MOST)                                                        \
  _Generic((X), char                                                               \
           : OMPC_CHAR(MOST), signed char                                          \
           : MOST ? __SCHAR_MAX__ : -__SCHAR_MAX__ - 1, unsigned char              \
           : MOST ? 2 * __SCHAR_MAX__ + 1 : 0, short                               \
           : MOST ? __SHRT_MAX__ : -__SHRT_MAX__ - 1, unsigned short               \
           : MOST ? 2 * __SHRT_MAX__ + 1 : 0, int                                  \
           : MOST ? __INT_MAX__ : -__INT_MAX__ - 1, unsigned                       \
           : MOST ? 2U * __INT_MAX__ + 1 : 0U, long                                \
           : MOST ? __LONG_MAX__ : -__LONG_MAX__ - 1, unsigned long                \
           : MOST ? 2UL * __LONG_MAX__ + 1 : 0UL, long long                        \
           : MOST ? __LONG_LONG_MAX__ : -__LONG_LONG_MAX__ - 1, unsigned long long \
           : MOST ? 2ULL * __LONG_LONG_MAX__ + 1 : 0ULL, float                     \
           : MOST ? __builtin_inff() : -__builtin_inff(), double                   \
           : MOST ? __builtin_inf() : -__builtin_inf(), long double                \
           : MOST ? __builtin_infl() : -__builtin_infl())
#define OMPC_MOST(X) OMPC_LIMIT(X, 1)
#define OMPC_LEAST(X) OMPC_LIMIT(X, 0)

/* Of a loop's kernel of OpenCL: the host's plain char, and its division and roots of float; and as
 * many work items as fill a large GPU. */
#ifdef __CHAR_UNSIGNED__
#define OMPC_LOOP_CHAR "-Dompc_char=uchar"
#else
#define OMPC_LOOP_CHAR "-Dompc_char=char"
#endif
#define OMPC_LOOP_OPTIONS OMPC_LOOP_CHAR " -cl-fp32-correctly-rounded-divide-sqrt"
#define OMPC_LOOP_ITEMS 65536

#endif /* TASKRT_OMPC_OMP_H_ */
