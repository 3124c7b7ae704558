#include "taskrt/workloads/cholesky_on_cuda.h"

#include <cstdlib>

#include "absl/status/statusor.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/workloads/cholesky_cuda.h"
#include "taskrt/workloads/cuda_libraries.h"

namespace cholesky {

CudaBodies CudaBodies::Find(int devices, std::vector<std::string>& notes) {
  CudaBodies bodies;
  const absl::StatusOr<const taskrt::cuda::Driver*> driver = taskrt::cuda::Load();
  // That the driver is missing was said where devices were looked for.
  if (devices == 0 || !driver.ok()) return bodies;
  bodies.is_for_devices_ = true;
  if (CholeskyPtx().empty()) notes.push_back("no own CUDA kernels: built without CUDA's toolkit");
  const char* const folder = std::getenv("TASKRT_CUBLAS_PATH");
  const absl::StatusOr<CudaLibraries> found = LoadCudaLibraries(folder == nullptr ? "" : folder);
  if (!found.ok()) {
    notes.emplace_back(found.status().message());
    return bodies;
  }
  if (!found->without_cusolver.empty()) notes.push_back(found->without_cusolver);
  bodies.libraries_ = std::make_shared<LibraryTasks>(**driver, *found, CholeskyPtx());
  return bodies;
}

bool CudaBodies::AddTo(taskrt::Kernel& kernel, Kernel kind, Precision precision, int b) const {
  if (!is_for_devices_) return false;
  if (libraries_ != nullptr && libraries_->Has(kind)) {
    kernel.OnCudaStream(StreamBodyOf(libraries_, kind, precision));
  } else if (!CholeskyPtx().empty()) {
    kernel.OnCuda(CudaKernelOf(kind, precision, b));
  } else {
    return false;
  }
  return true;
}

}  // namespace cholesky
