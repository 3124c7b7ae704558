// The kernels of a Cholesky factorization of tiles, U'U by rows: of doubles by OpenBLAS, and for
// devices; of other numbers for the host.
#pragma once

#include <vector>

#include "taskrt/kernel.h"

namespace sdpa {

// By kind (taskrt/workloads/cholesky_tasks.h), for tiles of `side` x `side` numbers, and a runtime
// with so many CUDA devices.
template <typename Real>
std::vector<taskrt::Kernel> CholeskyKernels(int side, int cuda_devices);

}  // namespace sdpa
