// What the four tasks of a block Cholesky factorization compute, in OpenCL C: the same as
// cholesky_kernels.h. A block that is not positive definite has no number (NaN) on its diagonal
// afterwards.
#pragma once

#include "taskrt/kernel.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace cholesky {

// For blocks of b by b elements.
taskrt::OpenClKernel OpenClKernelOf(Kernel kernel, Precision precision, int b);

}  // namespace cholesky
