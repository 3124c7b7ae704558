#include "lwt/myth/bulk.h"

#include <cerrno>
#include <cstddef>
#include <new>
#include <vector>

namespace {

// Element `i` of an array with that stride; null where there is no array.
template <typename T>
T* At(void* base, size_t stride, long i) {
  if (base == nullptr) return nullptr;
  return reinterpret_cast<T*>(static_cast<std::byte*>(base) + static_cast<size_t>(i) * stride);
}

}  // namespace

extern "C" {

int myth_create_join_various_ex(myth_thread_t* ids, myth_thread_attr_t* attrs, myth_func_t* funcs,
                                void* args, void* results, size_t id_stride, size_t attr_stride,
                                size_t func_stride, size_t arg_stride, size_t result_stride,
                                long nthreads) {
  if (nthreads <= 0) return 0;
  std::vector<myth_thread_t> made;
  try {
    made.reserve(static_cast<size_t>(nthreads));
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
  int error = 0;
  for (long i = 0; i < nthreads && error == 0; ++i) {
    auto* const attr = At<myth_thread_attr_t>(attrs, attr_stride, i);
    if (attr != nullptr && attr->detachstate != MYTH_CREATE_JOINABLE) {
      error = EINVAL;
      break;
    }
    myth_thread_t thread = nullptr;
    error = myth_create_ex(&thread, attr, *At<myth_func_t>(funcs, func_stride, i),
                           At<void>(args, arg_stride, i));
    if (error != 0) break;
    made.push_back(thread);
    if (auto* const id = At<myth_thread_t>(ids, id_stride, i)) *id = thread;
  }
  for (long i = 0; i < static_cast<long>(made.size()); ++i) {
    const int joined =
        myth_join(made[static_cast<size_t>(i)], At<void*>(results, result_stride, i));
    if (error == 0) error = joined;
  }
  return error;
}

int myth_create_join_many_ex(myth_thread_t* ids, myth_thread_attr_t* attrs, myth_func_t func,
                             void* args, void* results, size_t id_stride, size_t attr_stride,
                             size_t arg_stride, size_t result_stride, long nthreads) {
  return myth_create_join_various_ex(ids, attrs, &func, args, results, id_stride, attr_stride, 0,
                                     arg_stride, result_stride, nthreads);
}

}  // extern "C"
