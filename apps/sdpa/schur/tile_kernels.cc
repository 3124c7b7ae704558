#include "apps/sdpa/schur/tile_kernels.h"

#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/double_double.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_on_cuda.h"
#include "taskrt/workloads/cholesky_opencl.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace sdpa {
namespace {

using cholesky::Kernel;

constexpr Kernel kKinds[] = {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm};

taskrt::Kernel Named(Kernel kind, int side) {
  taskrt::Kernel kernel{std::string(cholesky::NameOf(kind))};
  kernel.Flops(cholesky::FlopsOf(kind, side));
  return kernel;
}

template <typename Real>
Matrix<Real> Of(const taskrt::Tile& tile) {
  return {reinterpret_cast<Real*>(tile.data), static_cast<int>(tile.rows),
          static_cast<int>(tile.row_bytes / sizeof(Real)),
          static_cast<std::ptrdiff_t>(tile.stride / sizeof(Real))};
}

// The row whose pivot is not positive; as many as there are: none.
template <typename Real>
int FactorUpper(Matrix<Real> a) {
  for (int k = 0; k < a.rows; ++k) {
    if (!(a.at(k, k) > 0.0)) return k;
    a.at(k, k) = sqrt(a.at(k, k));
    for (int j = k + 1; j < a.rows; ++j) a.at(k, j) /= a.at(k, k);
    for (int i = k + 1; i < a.rows; ++i) {
      for (int j = i; j < a.rows; ++j) a.at(i, j) -= a.at(k, i) * a.at(k, j);
    }
  }
  return a.rows;
}

// b = U'^-1 b.
template <typename Real>
void SolveUpperTransposed(Matrix<Real> u, Matrix<Real> b) {
  for (int k = 0; k < u.rows; ++k) {
    for (int j = 0; j < b.columns; ++j) b.at(k, j) /= u.at(k, k);
    for (int i = k + 1; i < u.rows; ++i) {
      for (int j = 0; j < b.columns; ++j) b.at(i, j) -= u.at(k, i) * b.at(k, j);
    }
  }
}

template <typename Real>
absl::Status Compute(Kernel kind, std::span<const taskrt::Tile> tiles,
                     std::span<const std::byte> scalars) {
  const Matrix<Real> changed = Of<Real>(tiles.back());
  if (kind == Kernel::kPotrf) {
    const int row = FactorUpper(changed);
    if (row == changed.rows) return absl::OkStatus();
    cholesky::TaskScalars task;
    std::memcpy(&task, scalars.data(), sizeof(task));
    return absl::FailedPreconditionError(
        absl::StrCat("the matrix is not positive definite in column ", task.first_column + row));
  }
  const Matrix<Real> first = Of<Real>(tiles[0]);
  if (kind == Kernel::kTrsm) {
    SolveUpperTransposed(first, changed);
    return absl::OkStatus();
  }
  // The whole tile also of what is symmetric: its lower part is not read.
  const Matrix<const Real> left = kind == Kernel::kGemm ? Of<Real>(tiles[1]) : first;
  Multiply(-1, left, Op::kTransposed, Matrix<const Real>(first), Op::kPlain, 1, changed);
  return absl::OkStatus();
}

}  // namespace

template <>
std::vector<taskrt::Kernel> CholeskyKernels<double>(int side, int cuda_devices) {
  constexpr auto kPrecision = cholesky::Precision::kF64;
  std::vector<std::string> without;  // What is not there the host computes.
  const auto cuda = cholesky::CudaBodies::Find(cuda_devices, without);
  std::vector<taskrt::Kernel> kernels;
  for (const Kernel kind : kKinds) {
    const taskrt::Kernel::Body body = cholesky::BodyOf(kind, kPrecision);
    kernels.push_back(Named(kind, side)
                          .OnHost(body)
                          .OnSimulated(body)
                          .OnOpenCl(cholesky::OpenClKernelOf(kind, kPrecision, side)));
    cuda.AddTo(kernels.back(), kind, kPrecision, side);
  }
  return kernels;
}

template <>
std::vector<taskrt::Kernel> CholeskyKernels<DoubleDouble>(int side, int /*cuda_devices*/) {
  std::vector<taskrt::Kernel> kernels;
  for (const Kernel kind : kKinds) {
    kernels.push_back(Named(kind, side).OnHost([kind](auto tiles, auto scalars) {
      return Compute<DoubleDouble>(kind, tiles, scalars);
    }));
  }
  return kernels;
}

}  // namespace sdpa
