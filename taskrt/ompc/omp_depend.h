/* The calls of translated OpenMP programs for dependencies whose number is known when a construct
 * is met (translate/translate.h): lists that iterators fill, and the objects of depobj; and for
 * sections of several dimensions.
 *
 * Threads: any; of a list or an object, one at a time. Errors end the program, as ompc_require
 * does.
 */
#ifndef TASKRT_OMPC_OMP_DEPEND_H_
#define TASKRT_OMPC_OMP_DEPEND_H_

#define __need_size_t
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero at first; freed after the call that gets its elements. */
struct ompc_list {
  int count;
  void** data;
  int room;
};
void ompc_list_add(struct ompc_list* list, void* element);
void ompc_list_free(struct ompc_list* list);

/* omp_depend_t, with gcc's layout and numbers. */
enum { OMPC_IN = 1, OMPC_OUT = 2, OMPC_INOUT = 3 };
/* `object` names the block at `address`; NULL, and kind 0: nothing. */
void ompc_object_set(void* object, void* address, int kind);
void ompc_object_update(void* object, int kind);
/* An error: the object names nothing. */
void ompc_list_add_object(struct ompc_list* in, struct ompc_list* out, const void* object);

/* make_map_desc's map of the memory from `first` to before `end`, behind `host`. NULL: there is
 * none. An error: it is not `bytes` in a row. */
void* ompc_map_span(const void* host, const void* first, const void* end, size_t bytes,
                    int copy_type);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_OMP_DEPEND_H_ */
