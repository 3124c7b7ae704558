#include "taskrt/workloads/cuda_libraries.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace cholesky {
namespace {

// Of CUDA 13, and of 12.
struct Names {
  const char *cublas, *cusolver;
};
constexpr Names kNames[] = {{"libcublas.so.13", "libcusolver.so.12"},
                            {"libcublas.so.12", "libcusolver.so.11"}};

// Never closed: they have threads and memory of their own.
void* Open(const std::string& folder, const char* name) {
  const std::string path = folder.empty() ? name : absl::StrCat(folder, "/", name);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

template <typename Function>
void Find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing = name;
}

}  // namespace

absl::StatusOr<CudaLibraries> LoadCudaLibraries(const std::string& folder) {
#define CHOLESKY_FIND(name, parameters) Find(library, #name, found.name, missing);
  CudaLibraries found;
  std::string missing, error;
  for (const Names& names : kNames) {
    void* library = Open(folder, names.cublas);
    if (library == nullptr) {
      if (error.empty()) error = absl::StrCat("no cuBLAS: ", dlerror());
      continue;
    }
    CHOLESKY_CUBLAS_FUNCTIONS(CHOLESKY_FIND)
    if (!missing.empty()) {
      return absl::NotFoundError(absl::StrCat("no cuBLAS: ", names.cublas, " has no ", missing));
    }
    library = Open(folder, names.cusolver);
    if (library == nullptr) {
      found.without_cusolver = absl::StrCat("no cuSOLVER: ", dlerror());
      return found;
    }
    CHOLESKY_CUSOLVER_FUNCTIONS(CHOLESKY_FIND)
    if (!missing.empty()) {
      found.without_cusolver = absl::StrCat("no cuSOLVER: ", names.cusolver, " has no ", missing);
    }
    return found;
  }
#undef CHOLESKY_FIND
  return absl::NotFoundError(error);
}

}  // namespace cholesky
