#include "taskrt/workloads/cholesky_cuda.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "taskrt/workloads/cholesky_ptx.h"

namespace cholesky {
namespace {

// As in cholesky.cu.
constexpr unsigned kTile = 64, kThreads = 16;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kSolvers = 64;  // a thread block's columns: few, so that there are many blocks
constexpr unsigned kWarp = 32;

constexpr unsigned Parts(unsigned all, unsigned part) { return (all + part - 1) / part; }

}  // namespace

std::string CholeskyPtx() { return kPtx; }

taskrt::CudaKernel CudaKernelOf(Kernel kernel, Precision precision, int b) {
  const auto side = static_cast<unsigned>(b);
  taskrt::CudaKernel made = {
      .image = CholeskyPtx(),
      .scalar_bytes = {sizeof(TaskScalars::first_column), sizeof(TaskScalars::side)}};
  switch (kernel) {
    case Kernel::kPotrf:
      made.function = "factorize";
      made.block = {std::min(Parts(side, kWarp) * kWarp, kMostThreads), 1, 1};
      break;
    case Kernel::kTrsm:
      made.function = "solve";
      made.grid = {Parts(side, kSolvers), 1, 1};
      made.block = {kSolvers, 1, 1};
      break;
    case Kernel::kSyrk:
    case Kernel::kGemm:
      made.function = kernel == Kernel::kSyrk ? "square" : "product";
      made.grid = {Parts(side, kTile), Parts(side, kTile), 1};
      made.block = {kThreads, kThreads, 1};
      break;
  }
  absl::StrAppend(&made.function, SuffixOf(precision));
  return made;
}

}  // namespace cholesky
