#include "taskrt/benches/cholesky_kernels.h"

#include <cblas.h>

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
void Trsm(int n, const float* a, int lda, float* b, int ldb) {
  cblas_strsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, n, 1, a, lda, b,
              ldb);
}
void Trsm(int n, const double* a, int lda, double* b, int ldb) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, n, 1, a, lda, b,
              ldb);
}
void Syrk(int n, const float* a, int lda, float* c, int ldc) {
  cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, a, lda, 1, c, ldc);
}
void Syrk(int n, const double* a, int lda, double* c, int ldc) {
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, a, lda, 1, c, ldc);
}
void Gemm(int n, const float* a, int lda, const float* b, int ldb, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, n, -1, a, lda, b, ldb, 1, c, ldc);
}
void Gemm(int n, const double* a, int lda, const double* b, int ldb, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, n, -1, a, lda, b, ldb, 1, c, ldc);
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
      Trsm(n, At<T>(tiles[0]), Stride<T>(tiles[0]), at, ld);
      break;
    case Kernel::kSyrk:
      Syrk(n, At<T>(tiles[0]), Stride<T>(tiles[0]), at, ld);
      break;
    case Kernel::kGemm:
      Gemm(n, At<T>(tiles[1]), Stride<T>(tiles[1]), At<T>(tiles[0]), Stride<T>(tiles[0]), at, ld);
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
