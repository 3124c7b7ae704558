#include "taskrt/ompc/omp_depend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/ompc.h"
#include "taskrt/ompc/omp_library.h"
#include "taskrt/ompc/pointers/begun.h"

namespace {

// The fields of a program's omp_depend_t.
struct DependObject {
  void* address;
  std::size_t kind;
};
static_assert(sizeof(DependObject) == sizeof(omp_depend_t));

DependObject Read(const void* object) {
  DependObject its;
  std::memcpy(&its, object, sizeof its);
  return its;
}

}  // namespace

void ompc_list_add(ompc_list* list, void* element) {
  if (list->count == list->room) {
    const int room = std::max(16, 2 * list->room);
    void* const data = std::realloc(list->data, static_cast<std::size_t>(room) * sizeof(void*));
    if (data == nullptr) {
      taskrt::Require("depend", absl::ResourceExhaustedError(absl::StrCat(
                                    "there is no memory for a list of ", room, " elements")));
    }
    list->data = static_cast<void**>(data);
    list->room = room;
  }
  list->data[list->count++] = element;
}

void ompc_list_free(ompc_list* list) {
  std::free(list->data);
  *list = {};
}

void ompc_object_set(void* object, void* address, int kind) {
  const DependObject its{address, static_cast<std::size_t>(kind)};
  std::memcpy(object, &its, sizeof its);
}

void ompc_object_update(void* object, int kind) {
  ompc_object_set(object, Read(object).address, kind);
}

void ompc_list_add_object(ompc_list* in, ompc_list* out, const void* object) {
  const DependObject its = Read(object);
  if (its.kind < OMPC_IN || its.kind > OMPC_INOUT + 2 || its.address == nullptr) {
    taskrt::Require("depend(depobj: ...)",
                    absl::InvalidArgumentError("the object has no dependency: depobj(...) "
                                               "depend(...) gives it one"));
  }
  if (its.kind != OMPC_OUT) ompc_list_add(in, its.address);
  if (its.kind != OMPC_IN) ompc_list_add(out, its.address);
}

void* ompc_map_span(const void* host, const void* first, const void* end, size_t bytes,
                    int copy_type) {
  if (bytes == 0) return nullptr;
  const auto* const begin = static_cast<const std::byte*>(first);
  const std::ptrdiff_t span = static_cast<const std::byte*>(end) - begin;
  if (span != static_cast<std::ptrdiff_t>(bytes)) {
    taskrt::Require("map", absl::InvalidArgumentError(
                               absl::StrCat("a section of ", bytes, " bytes lies scattered over ",
                                            span, ": its inner dimensions are not whole")));
  }
  return make_map_desc(host, static_cast<std::size_t>(begin - static_cast<const std::byte*>(host)),
                       bytes, copy_type);
}
