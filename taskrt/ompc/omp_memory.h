/* OpenMP's memory of devices and of allocators: a part of omp_library.h, with gcc's types. All of
 * it is the host's: a target that points into it uses it there, or by the maps that name it.
 *
 * Threads: any. Errors: NULL where there is no memory; functions that return int: 0, or EINVAL.
 * Source: OpenMP 5.1, sections 2.13, 3.8 and 3.13.
 */
#ifndef TASKRT_OMPC_OMP_MEMORY_H_
#define TASKRT_OMPC_OMP_MEMORY_H_

#define __need_size_t
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void* omp_target_alloc(size_t bytes, int device);
void omp_target_free(void* memory, int device);
/* Has a data region, or ompc_target_map, made it a block? On the host: yes. */
int omp_target_is_present(const void* memory, int device);
int omp_target_memcpy(void* to, const void* from, size_t bytes, size_t to_offset,
                      size_t from_offset, int to_device, int from_device);
/* `dimensions` sizes and offsets, in elements of `element_bytes`; both NULL: how many dimensions
 * there may be. */
int omp_target_memcpy_rect(void* to, const void* from, size_t element_bytes, int dimensions,
                           const size_t* volume, const size_t* to_offsets,
                           const size_t* from_offsets, const size_t* to_dimensions,
                           const size_t* from_dimensions, int to_device, int from_device);

typedef __UINTPTR_TYPE__ omp_uintptr_t;
typedef enum omp_memspace_handle_t {
  omp_default_mem_space = 0,
  omp_large_cap_mem_space = 1,
  omp_const_mem_space = 2,
  omp_high_bw_mem_space = 3,
  omp_low_lat_mem_space = 4,
  __omp_memspace_handle_t_max__ = __UINTPTR_MAX__
} omp_memspace_handle_t;
typedef enum omp_allocator_handle_t {
  omp_null_allocator = 0,
  omp_default_mem_alloc = 1,
  omp_large_cap_mem_alloc = 2,
  omp_const_mem_alloc = 3,
  omp_high_bw_mem_alloc = 4,
  omp_low_lat_mem_alloc = 5,
  omp_cgroup_mem_alloc = 6,
  omp_pteam_mem_alloc = 7,
  omp_thread_mem_alloc = 8,
  __omp_allocator_handle_t_max__ = __UINTPTR_MAX__
} omp_allocator_handle_t;
typedef enum omp_alloctrait_key_t {
  omp_atk_sync_hint = 1,
  omp_atk_alignment = 2,
  omp_atk_access = 3,
  omp_atk_pool_size = 4,
  omp_atk_fallback = 5,
  omp_atk_fb_data = 6,
  omp_atk_pinned = 7,
  omp_atk_partition = 8
} omp_alloctrait_key_t;
typedef enum omp_alloctrait_value_t {
  omp_atv_default = (__UINTPTR_TYPE__)-1,
  omp_atv_false = 0,
  omp_atv_true = 1,
  omp_atv_contended = 3,
  omp_atv_uncontended = 4,
  omp_atv_serialized = 5,
  omp_atv_sequential = 5,
  omp_atv_private = 6,
  omp_atv_all = 7,
  omp_atv_thread = 8,
  omp_atv_pteam = 9,
  omp_atv_cgroup = 10,
  omp_atv_default_mem_fb = 11,
  omp_atv_null_fb = 12,
  omp_atv_abort_fb = 13,
  omp_atv_allocator_fb = 14,
  omp_atv_environment = 15,
  omp_atv_nearest = 16,
  omp_atv_blocked = 17,
  omp_atv_interleaved = 18
} omp_alloctrait_value_t;
typedef struct omp_alloctrait_t {
  omp_alloctrait_key_t key;
  omp_uintptr_t value;
} omp_alloctrait_t;

/* Its alignment, pool size and fallback have an effect. omp_null_allocator: a trait that cannot be.
 */
omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int count,
                                          const omp_alloctrait_t* traits);
/* Its memory has been freed. */
void omp_destroy_allocator(omp_allocator_handle_t allocator);
void omp_set_default_allocator(omp_allocator_handle_t allocator);
omp_allocator_handle_t omp_get_default_allocator(void);
/* Freed by omp_free alone, with any allocator. */
void* omp_alloc(size_t bytes, omp_allocator_handle_t allocator);
void* omp_aligned_alloc(size_t alignment, size_t bytes, omp_allocator_handle_t allocator);
void* omp_calloc(size_t count, size_t bytes, omp_allocator_handle_t allocator);
void* omp_aligned_calloc(size_t alignment, size_t count, size_t bytes,
                         omp_allocator_handle_t allocator);
void* omp_realloc(void* memory, size_t bytes, omp_allocator_handle_t allocator,
                  omp_allocator_handle_t free_allocator);
void omp_free(void* memory, omp_allocator_handle_t allocator);

#ifdef __cplusplus
}
#endif

#endif /* TASKRT_OMPC_OMP_MEMORY_H_ */
