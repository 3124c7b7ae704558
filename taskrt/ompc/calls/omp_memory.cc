#include "taskrt/ompc/omp_memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "taskrt/ompc/data_environment/data_environment.h"
#include "taskrt/ompc/pointers/begun.h"

namespace {

// A resource: what omp_init_allocator's traits say.
struct Allocator {
  std::size_t alignment = alignof(std::max_align_t);
  std::size_t pool_bytes = std::numeric_limits<std::size_t>::max();
  omp_uintptr_t fallback = omp_atv_default_mem_fb;
  omp_allocator_handle_t fallback_allocator = omp_default_mem_alloc;
  std::atomic<std::size_t> used{0};

  bool Take(std::size_t bytes) {
    std::size_t before = used.load(std::memory_order_relaxed);
    do {
      if (bytes > pool_bytes - std::min(pool_bytes, before)) return false;
    } while (!used.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
  }
};

std::atomic<omp_allocator_handle_t> default_allocator{omp_default_mem_alloc};

// Null: one of OpenMP's own, without traits.
Allocator* Of(omp_allocator_handle_t handle) {
  const auto value = static_cast<std::uintptr_t>(handle);
  return value <= omp_thread_mem_alloc ? nullptr : reinterpret_cast<Allocator*>(value);
}

// Before each block of memory.
struct Header {
  void* memory;  // of aligned_alloc
  std::size_t bytes;
  Allocator* allocator;
};
Header& HeaderOf(void* memory) { return static_cast<Header*>(memory)[-1]; }

void* Allocate(std::size_t alignment, std::size_t bytes, omp_allocator_handle_t handle) {
  if (bytes == 0) return nullptr;
  if (handle == omp_null_allocator) handle = default_allocator.load();
  Allocator* const allocator = Of(handle);
  if (allocator != nullptr && !allocator->Take(bytes)) {
    switch (allocator->fallback) {
      case omp_atv_null_fb:
        return nullptr;
      case omp_atv_abort_fb:
        std::fputs("omp_alloc: the allocator has no memory left, and its fallback is abort_fb\n",
                   stderr);
        std::abort();
      case omp_atv_allocator_fb:
        return Allocate(alignment, bytes, allocator->fallback_allocator);
      default:
        return Allocate(alignment, bytes, omp_default_mem_alloc);
    }
  }
  alignment =
      std::max({alignment, alignof(Header), allocator == nullptr ? 1 : allocator->alignment});
  const std::size_t before = (sizeof(Header) + alignment - 1) / alignment * alignment;
  const std::size_t all = (before + bytes + alignment - 1) / alignment * alignment;
  void* const memory = all < bytes ? nullptr : std::aligned_alloc(alignment, all);
  if (memory == nullptr) {
    if (allocator != nullptr) allocator->used.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  void* const block = static_cast<std::byte*>(memory) + before;
  HeaderOf(block) = {memory, bytes, allocator};
  return block;
}

bool IsTooMany(std::size_t count, std::size_t bytes) {
  return bytes != 0 && count > std::numeric_limits<std::size_t>::max() / bytes;
}

void CopyRect(std::byte* to, const std::byte* from, std::size_t element, int dimensions,
              const std::size_t* volume, const std::size_t* to_offsets,
              const std::size_t* from_offsets, const std::size_t* to_dimensions,
              const std::size_t* from_dimensions) {
  std::size_t to_slice = element, from_slice = element;
  for (int i = 1; i < dimensions; ++i) {
    to_slice *= to_dimensions[i];
    from_slice *= from_dimensions[i];
  }
  to += to_offsets[0] * to_slice;
  from += from_offsets[0] * from_slice;
  if (dimensions == 1) {
    std::memmove(to, from, volume[0] * element);
    return;
  }
  for (std::size_t i = 0; i < volume[0]; ++i) {
    CopyRect(to + i * to_slice, from + i * from_slice, element, dimensions - 1, volume + 1,
             to_offsets + 1, from_offsets + 1, to_dimensions + 1, from_dimensions + 1);
  }
}

}  // namespace

void* omp_target_alloc(size_t bytes, int) { return bytes == 0 ? nullptr : std::malloc(bytes); }
void omp_target_free(void* memory, int) { std::free(memory); }
int omp_target_is_present(const void* memory, int device) {
  taskrt::PointerRuntime* const runtime = taskrt::BegunRuntime();
  if (device == (runtime == nullptr ? 0 : runtime->device_count())) return 1;  // The host.
  const taskrt::PointerMap map = {.host = reinterpret_cast<std::uintptr_t>(memory)};
  return runtime != nullptr && taskrt::DataEnvironment(*runtime).IsPresent(map) ? 1 : 0;
}
int omp_target_memcpy(void* to, const void* from, size_t bytes, size_t to_offset,
                      size_t from_offset, int, int) {
  if (to == nullptr || from == nullptr) return EINVAL;
  std::memmove(static_cast<std::byte*>(to) + to_offset,
               static_cast<const std::byte*>(from) + from_offset, bytes);
  return 0;
}
int omp_target_memcpy_rect(void* to, const void* from, size_t element_bytes, int dimensions,
                           const size_t* volume, const size_t* to_offsets,
                           const size_t* from_offsets, const size_t* to_dimensions,
                           const size_t* from_dimensions, int, int) {
  if (to == nullptr && from == nullptr) return std::numeric_limits<int>::max();
  if (to == nullptr || from == nullptr || dimensions < 1 || element_bytes == 0) return EINVAL;
  CopyRect(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), element_bytes,
           dimensions, volume, to_offsets, from_offsets, to_dimensions, from_dimensions);
  return 0;
}

omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t, int count,
                                          const omp_alloctrait_t* traits) {
  auto* const allocator = new Allocator;
  for (int i = 0; i < count; ++i) {
    const omp_uintptr_t value = traits[i].value;
    if (value == omp_atv_default) continue;
    if (traits[i].key == omp_atk_alignment && std::has_single_bit(value))
      allocator->alignment = value;
    if (traits[i].key == omp_atk_pool_size) allocator->pool_bytes = value;
    if (traits[i].key == omp_atk_fallback) allocator->fallback = value;
    if (traits[i].key == omp_atk_fb_data) {
      allocator->fallback_allocator = static_cast<omp_allocator_handle_t>(value);
    }
  }
  return static_cast<omp_allocator_handle_t>(reinterpret_cast<std::uintptr_t>(allocator));
}
void omp_destroy_allocator(omp_allocator_handle_t allocator) { delete Of(allocator); }
void omp_set_default_allocator(omp_allocator_handle_t allocator) {
  default_allocator = allocator == omp_null_allocator ? omp_default_mem_alloc : allocator;
}
omp_allocator_handle_t omp_get_default_allocator(void) { return default_allocator; }

void* omp_alloc(size_t bytes, omp_allocator_handle_t allocator) {
  return Allocate(1, bytes, allocator);
}
void* omp_aligned_alloc(size_t alignment, size_t bytes, omp_allocator_handle_t allocator) {
  return std::has_single_bit(alignment) ? Allocate(alignment, bytes, allocator) : nullptr;
}
void* omp_calloc(size_t count, size_t bytes, omp_allocator_handle_t allocator) {
  return omp_aligned_calloc(1, count, bytes, allocator);
}
void* omp_aligned_calloc(size_t alignment, size_t count, size_t bytes,
                         omp_allocator_handle_t allocator) {
  void* const memory =
      IsTooMany(count, bytes) ? nullptr : omp_aligned_alloc(alignment, count * bytes, allocator);
  return memory == nullptr ? nullptr : std::memset(memory, 0, count * bytes);
}
void* omp_realloc(void* memory, size_t bytes, omp_allocator_handle_t allocator,
                  omp_allocator_handle_t free_allocator) {
  if (bytes == 0) {
    omp_free(memory, free_allocator);
    return nullptr;
  }
  void* const other = omp_alloc(bytes, allocator);
  if (other == nullptr || memory == nullptr) return other;
  std::memcpy(other, memory, std::min(bytes, HeaderOf(memory).bytes));
  omp_free(memory, free_allocator);
  return other;
}
void omp_free(void* memory, omp_allocator_handle_t) {
  if (memory == nullptr) return;
  const Header header = HeaderOf(memory);
  if (header.allocator != nullptr) {
    header.allocator->used.fetch_sub(header.bytes, std::memory_order_relaxed);
  }
  std::free(header.memory);
}
