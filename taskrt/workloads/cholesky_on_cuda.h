// By what CUDA devices compute the four tasks of a block Cholesky factorization: NVIDIA's libraries
// where these are, or else own kernels.
//
// Threads: any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taskrt/kernel.h"
#include "taskrt/workloads/cholesky_cublas.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace cholesky {

// A value; shares what the libraries keep with the kernels that it was added to.
class CudaBodies {
 public:
  // None: nothing can be added.
  CudaBodies() = default;

  // For a runtime with so many CUDA devices; 0: none. Adds to `notes` a sentence for each part that
  // is not there. The folder of the libraries: TASKRT_CUBLAS_PATH, else the system's.
  static CudaBodies Find(int devices, std::vector<std::string>& notes);

  // For tiles of b by b elements. False: there is nothing for this kernel.
  bool AddTo(taskrt::Kernel& kernel, Kernel kind, Precision precision, int b) const;

 private:
  bool is_for_devices_ = false;
  std::shared_ptr<LibraryTasks> libraries_;  // null: only own kernels
};

}  // namespace cholesky
