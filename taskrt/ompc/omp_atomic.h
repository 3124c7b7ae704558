/* What a translated atomic statement is: changes of a machine word by the processor, of any other
 * variable in a section that all such statements share. Macros, as the variable has any type.
 *
 * Names: ompc_place is the variable's address, ompc_old its value before, ompc_new behind,
 * ompc_value that of an expression of the statement. BEGIN and END: of the section.
 * Orders: as __ATOMIC_ACQ_REL and so on say, of the processor's operations.
 */
#ifndef TASKRT_OMPC_OMP_ATOMIC_H_
#define TASKRT_OMPC_OMP_ATOMIC_H_

/* Without const, volatile and _Atomic. */
#define OMPC_VALUE_TYPE(X) __typeof__(((void)0, (X)))
/* As an operator gets it: arrays are pointers, and bit-fields integers. */
#define OMPC_OPERAND_TYPE(X) __typeof__(1 ? (X) : (X))
#define OMPC_IS_WORD(X) (sizeof(X) == 1 || sizeof(X) == 2 || sizeof(X) == 4 || sizeof(X) == 8)
/* _Bool has no __atomic_fetch_add. */
#define OMPC_IS_INTEGER(X)                               \
  (__builtin_classify_type(X) == 1 && OMPC_IS_WORD(X) && \
   !__builtin_types_compatible_p(OMPC_VALUE_TYPE(X), _Bool))

#define OMPC_ATOMIC_PLACE(X) OMPC_VALUE_TYPE(X)* ompc_place = (void*)&(X), ompc_old

#define OMPC_ATOMIC_LOAD(ORDER, BEGIN, END)      \
  if (OMPC_IS_WORD(ompc_old)) {                  \
    __atomic_load(ompc_place, &ompc_old, ORDER); \
  } else {                                       \
    BEGIN;                                       \
    ompc_old = *ompc_place;                      \
    END;                                         \
  }
#define OMPC_ATOMIC_STORE(ORDER, BEGIN, END)      \
  if (OMPC_IS_WORD(ompc_old)) {                   \
    __atomic_store(ompc_place, &ompc_old, ORDER); \
  } else {                                        \
    BEGIN;                                        \
    *ompc_place = ompc_old;                       \
    END;                                          \
  }

/* An integer of another type is never changed: it is there for the compiler. */
#define OMPC_ATOMIC_INTEGER \
  ((__typeof__(__builtin_choose_expr(OMPC_IS_INTEGER(ompc_old), ompc_place, (int*)0)))ompc_place)
/* NAME: add, sub, and, or, xor. Behind it is a statement for all else. */
#define OMPC_ATOMIC_FETCH(NAME, VALUE, ORDER)                                        \
  if (OMPC_IS_INTEGER(ompc_old) && OMPC_IS_INTEGER(VALUE))                           \
    (void)__atomic_fetch_##NAME(OMPC_ATOMIC_INTEGER, OMPC_INTEGER_OF(VALUE), ORDER); \
  else
#define OMPC_INTEGER_OF(VALUE) __builtin_choose_expr(OMPC_IS_INTEGER(VALUE), (VALUE), 0)

/* The statement changes ompc_new, as often as another thread was faster. */
#define OMPC_ATOMIC_CHANGE(ORDER, BEGIN, END, ...)                                    \
  {                                                                                   \
    OMPC_VALUE_TYPE(*ompc_place) ompc_new;                                            \
    if (OMPC_IS_WORD(ompc_old)) {                                                     \
      __atomic_load(ompc_place, &ompc_old, __ATOMIC_RELAXED);                         \
      do {                                                                            \
        ompc_new = ompc_old;                                                          \
        __VA_ARGS__                                                                   \
      } while (!__atomic_compare_exchange(ompc_place, &ompc_old, &ompc_new, 1, ORDER, \
                                          __ATOMIC_RELAXED));                         \
    } else {                                                                          \
      BEGIN;                                                                          \
      ompc_new = *ompc_place;                                                         \
      __VA_ARGS__                                                                     \
      *ompc_place = ompc_new;                                                         \
      END;                                                                            \
    }                                                                                 \
  }

#endif /* TASKRT_OMPC_OMP_ATOMIC_H_ */
