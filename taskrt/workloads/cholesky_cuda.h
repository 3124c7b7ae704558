// What the four tasks of a block Cholesky factorization compute, in CUDA (cholesky.cu): the same as
// cholesky_kernels.h. A block that is not positive definite has no number (NaN) on its diagonal
// afterwards.
#pragma once

#include <string>

#include "taskrt/kernel.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace cholesky {

// The kernels as PTX, which a driver as new as the toolkit compiles for its GPU. Empty where this
// was built without the toolkit: then they cannot be run.
std::string CholeskyPtx();

// For blocks of b by b elements; TaskScalars come with each task.
taskrt::CudaKernel CudaKernelOf(Kernel kernel, Precision precision, int b);

// Of a kernel's name in cholesky.cu: "_f32", "_f64".
constexpr const char* SuffixOf(Precision precision) {
  return precision == Precision::kF32 ? "_f32" : "_f64";
}

}  // namespace cholesky
