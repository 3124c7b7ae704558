/* Many threads at once. Results: 0, or an errno value. */
#ifndef LWT_MYTH_BULK_H_
#define LWT_MYTH_BULK_H_

#include "lwt/myth/threads.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs func(args), func(args + arg_stride), ..., each in a thread of its own, and waits for all.
 * The i-th thread has the attributes *(attrs + i * attr_stride), its handle goes to *(ids + i *
 * id_stride) and what it returns to *(results + i * result_stride), where these are not NULL.
 * Strides are in bytes, so that each may be a field of a larger struct. The handles are of threads
 * that are joined as this returns. EINVAL: attributes of a detached thread. ENOMEM and others:
 * threads before the one that could not be made have run and were joined, others have not. nthreads
 * <= 0: nothing. */
int myth_create_join_many_ex(myth_thread_t* ids, myth_thread_attr_t* attrs, myth_func_t func,
                             void* args, void* results, size_t id_stride, size_t attr_stride,
                             size_t arg_stride, size_t result_stride, long nthreads);
/* As many_ex, where the i-th thread runs *(funcs + i * func_stride). */
int myth_create_join_various_ex(myth_thread_t* ids, myth_thread_attr_t* attrs, myth_func_t* funcs,
                                void* args, void* results, size_t id_stride, size_t attr_stride,
                                size_t func_stride, size_t arg_stride, size_t result_stride,
                                long nthreads);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_BULK_H_ */
