// The kernels of workloads/cholesky.cu, compiled for the host: for the driver without a GPU.
#pragma once

#include <map>
#include <string>

#include "taskrt/tests/cuda_on_host.h"
#include "taskrt/tests/fake_cuda.h"

namespace taskrt {

// By their names. `order`: of the threads of a thread block.
std::map<std::string, FakeCuda::Body> CholeskyOnHost(on_host::Order order);

}  // namespace taskrt
