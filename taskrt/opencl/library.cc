#include "taskrt/opencl/library.h"

#include <dlfcn.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace taskrt::opencl {
namespace {

absl::StatusOr<Library> LoadNow() {
  // Never closed: drivers have threads of their own.
  void* const handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::NotFoundError(absl::StrCat("no OpenCL: ", dlerror()));
  Library library;
  const char* missing = nullptr;
#define TASKRT_OPENCL_FIND(name)                                                      \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "cl" #name)); \
  if (library.name == nullptr) missing = "cl" #name;
  TASKRT_OPENCL_FUNCTIONS(TASKRT_OPENCL_FIND)
#undef TASKRT_OPENCL_FIND
  if (missing == nullptr) return library;
  return absl::NotFoundError(absl::StrCat("no OpenCL 1.2: the library has no ", missing));
}

std::string NameOf(cl_int error) {
  switch (error) {
    case CL_DEVICE_NOT_AVAILABLE:
      return "device not available";
    case CL_COMPILER_NOT_AVAILABLE:
      return "compiler not available";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "no memory on the device";
    case CL_OUT_OF_RESOURCES:
      return "out of resources";
    case CL_OUT_OF_HOST_MEMORY:
      return "no memory on the host";
    case CL_BUILD_PROGRAM_FAILURE:
      return "the program does not build";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return "something that it waited for has failed";
    case CL_INVALID_BUFFER_SIZE:
      return "more bytes than the device gives at once";
    case CL_INVALID_KERNEL_NAME:
      return "no such function";
    case CL_INVALID_KERNEL_ARGS:
      return "the function has other arguments";
    case CL_INVALID_ARG_INDEX:
      return "the function has fewer arguments";
    case CL_INVALID_ARG_SIZE:
      return "an argument of the function has another size";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "the group's size does not divide the work items, or is too large";
    case CL_INVALID_BINARY:
      return "the binary is not this device's";
    default:
      return absl::StrCat("OpenCL's error ", error);
  }
}

}  // namespace

absl::StatusOr<const Library*> Load() {
  static const absl::StatusOr<Library> library = LoadNow();
  if (!library.ok()) return library.status();
  return &*library;
}

absl::Status ErrorOf(cl_int error, const std::string& tried) {
  const std::string what = absl::StrCat(tried, ": ", NameOf(error));
  switch (error) {
    case CL_DEVICE_NOT_AVAILABLE:
      return absl::UnavailableError(what);
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return absl::ResourceExhaustedError(what);
    default:
      return absl::InternalError(what);
  }
}

}  // namespace taskrt::opencl
