#include "taskrt/cuda/driver.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace taskrt::cuda {
namespace {

absl::StatusOr<Driver> LoadNow() {
  // Never closed: the driver has threads of its own.
  void* const handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::NotFoundError(absl::StrCat("no CUDA: ", dlerror()));
  Driver driver;
  const char* missing = nullptr;
#define TASKRT_CUDA_FIND(name, symbol, parameters)                               \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(handle, #symbol)); \
  if (driver.name == nullptr) missing = #symbol;
  TASKRT_CUDA_FUNCTIONS(TASKRT_CUDA_FIND)
#undef TASKRT_CUDA_FIND
  if (missing != nullptr) {
    return absl::NotFoundError(absl::StrCat("no CUDA: the driver has no ", missing));
  }
  if (const Result begun = driver.Init(0); begun != kSuccess) {
    return absl::NotFoundError(
        absl::StrCat("no CUDA: ", ErrorOf(driver, begun, "its beginning").message()));
  }
  return driver;
}

}  // namespace

absl::StatusOr<const Driver*> Load() {
  static const absl::StatusOr<Driver> driver = LoadNow();
  if (!driver.ok()) return driver.status();
  return &*driver;
}

absl::Status ErrorOf(const Driver& driver, Result error, const std::string& tried) {
  const char* text = nullptr;
  if (driver.GetErrorString(error, &text) != kSuccess || text == nullptr) text = "unknown";
  const std::string what = absl::StrCat(tried, ": ", text, " (CUDA's error ", error, ")");
  // After a fault of a kernel or of the device its context is of no use any more.
  constexpr Result kUncorrectable = 214, kFirstFault = 700, kLastFault = 720;
  if (error == kOutOfMemory) return absl::ResourceExhaustedError(what);
  if (error == kUncorrectable || (error >= kFirstFault && error <= kLastFault)) {
    return absl::UnavailableError(what);
  }
  return absl::InternalError(what);
}

}  // namespace taskrt::cuda
