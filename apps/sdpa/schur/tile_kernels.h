// The kernels of a Cholesky factorization of tiles, U'U by rows, for the host and for devices.
#pragma once

#include <vector>

#include "taskrt/kernel.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_opencl.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace sdpa {

// By kind, for tiles of `side` x `side` numbers.
template <typename Real>
std::vector<taskrt::Kernel> CholeskyKernels(int side);

// Of doubles by OpenBLAS, and on devices.
template <>
inline std::vector<taskrt::Kernel> CholeskyKernels<double>(int side) {
  using cholesky::Kernel;
  std::vector<taskrt::Kernel> kernels;
  for (const Kernel kind : {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm}) {
    const taskrt::Kernel::Body body = cholesky::BodyOf(kind, cholesky::Precision::kF64);
    taskrt::Kernel kernel{std::string(cholesky::NameOf(kind))};
    kernel.Flops(cholesky::FlopsOf(kind, side))
        .OnHost(body)
        .OnSimulated(body)
        .OnOpenCl(cholesky::OpenClKernelOf(kind, cholesky::Precision::kF64, side));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace sdpa
