// cuBLAS and cuSOLVER by OpenBLAS, on the streams of the driver without a GPU.
#pragma once

#include <atomic>

#include "taskrt/workloads/cuda_libraries.h"

namespace taskrt {

struct FakeLibraries {
  std::atomic<int> handles = 0;  // that are not given back
};

// One at a time; `fake` outlives its use.
cholesky::CudaLibraries FakeCudaLibraries(FakeLibraries& fake);

}  // namespace taskrt
