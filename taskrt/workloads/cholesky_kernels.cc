#include "taskrt/workloads/cholesky_kernels.h"

#include <cblas.h>

#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"

// LAPACK's, of which OpenBLAS brings no C header of its own.
extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace cholesky {
namespace {

using taskrt::Tile;

int Potrf(int n, float* a, int lda) {
  int info = 0;
  spotrf_("L", &n, a, &lda, &info);
  return info;
}
int Potrf(int n, double* a, int lda) {
  int info = 0;
  dpotrf_("L", &n, a, &lda, &info);
  return info;
}
void Trsm(int n, int columns, const float* a, int lda, float* b, int ldb) {
  cblas_strsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, columns, 1, a, lda,
              b, ldb);
}
void Trsm(int n, int columns, const double* a, int lda, double* b, int ldb) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, columns, 1, a, lda,
              b, ldb);
}
void Syrk(int n, const float* a, int lda, float* c, int ldc) {
  cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, a, lda, 1, c, ldc);
}
void Syrk(int n, const double* a, int lda, double* c, int ldc) {
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, a, lda, 1, c, ldc);
}
// c, of rows by columns, less aᵀb, of which both have `depth` rows.
void Gemm(int rows, int columns, int depth, const float* a, int lda, const float* b, int ldb,
          float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, columns, depth, -1, a, lda, b, ldb, 1,
              c, ldc);
}
void Gemm(int rows, int columns, int depth, const double* a, int lda, const double* b, int ldb,
          double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, columns, depth, -1, a, lda, b, ldb, 1,
              c, ldc);
}

// By halves: OpenBLAS' products are faster than its solver, of doubles almost twice.
template <typename T>
void SolveByHalves(int n, int columns, const T* a, int lda, T* b, int ldb) {
  constexpr int kFew = 32;
  if (n <= kFew) return Trsm(n, columns, a, lda, b, ldb);
  const int upper = n / 2, lower = n - upper;
  T* const below = b + static_cast<std::ptrdiff_t>(upper) * ldb;
  SolveByHalves(upper, columns, a, lda, b, ldb);
  Gemm(lower, columns, upper, a + upper, lda, b, ldb, below, ldb);
  SolveByHalves(lower, columns, a + static_cast<std::ptrdiff_t>(upper) * lda + upper, lda, below,
                ldb);
}

template <typename T>
T* At(const Tile& tile) {
  return reinterpret_cast<T*>(tile.data);
}
template <typename T>
int Stride(const Tile& tile) {
  return static_cast<int>(tile.stride / sizeof(T));
}

template <typename T>
absl::Status Compute(Kernel kernel, std::span<const Tile> tiles,
                     std::span<const std::byte> scalars) {
  const Tile& changed = tiles.back();
  const int n = static_cast<int>(changed.rows), ld = Stride<T>(changed);
  T* const at = At<T>(changed);
  switch (kernel) {
    case Kernel::kPotrf: {
      // LAPACK counts by columns: its lower triangle is the upper one by rows.
      const int info = Potrf(n, at, ld);
      if (info == 0) return absl::OkStatus();
      TaskScalars task;
      if (scalars.size() == sizeof(task)) std::memcpy(&task, scalars.data(), sizeof(task));
      return absl::FailedPreconditionError(absl::StrCat(
          "the matrix is not positive definite in column ", task.first_column + info - 1));
    }
    case Kernel::kTrsm:
      SolveByHalves(n, n, At<T>(tiles[0]), Stride<T>(tiles[0]), at, ld);
      break;
    case Kernel::kSyrk:
      Syrk(n, At<T>(tiles[0]), Stride<T>(tiles[0]), at, ld);
      break;
    case Kernel::kGemm:
      Gemm(n, n, n, At<T>(tiles[1]), Stride<T>(tiles[1]), At<T>(tiles[0]), Stride<T>(tiles[0]), at,
           ld);
      break;
  }
  return absl::OkStatus();
}

}  // namespace

taskrt::Kernel::Body BodyOf(Kernel kernel, Precision precision) {
  openblas_set_num_threads(1);
  return [=](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
    return precision == Precision::kF32 ? Compute<float>(kernel, tiles, scalars)
                                        : Compute<double>(kernel, tiles, scalars);
  };
}

}  // namespace cholesky
