#include "apps/sdpa/linear/blas.h"

#include <cblas.h>

#include "apps/sdpa/linear/lapack.h"

namespace sdpa {
namespace {

int Int(std::ptrdiff_t stride) { return static_cast<int>(stride); }
CBLAS_TRANSPOSE Cblas(Op op) { return op == Op::kPlain ? CblasNoTrans : CblasTrans; }

}  // namespace

void UseOneThread() { openblas_set_num_threads(1); }

bool FactorCholesky(Matrix<double> a) {
  const int stride = Int(a.stride);
  int info = 0;
  // LAPACK's upper triangle, by columns, is the lower one by rows.
  dpotrf_("U", &a.rows, a.data, &stride, &info);
  // OpenBLAS goes on where a pivot is no number; all pivots after it are none then.
  return info == 0 && (a.rows == 0 || a.at(a.rows - 1, a.rows - 1) > 0);
}

void Multiply(double alpha, Matrix<const double> a, Op of_a, Matrix<const double> b, Op of_b,
              double beta, Matrix<double> c) {
  const int depth = of_a == Op::kPlain ? a.columns : a.rows;
  cblas_dgemm(CblasRowMajor, Cblas(of_a), Cblas(of_b), c.rows, c.columns, depth, alpha, a.data,
              Int(a.stride), b.data, Int(b.stride), beta, c.data, Int(c.stride));
}

void SolveLeft(Matrix<const double> l, Op of_l, Matrix<double> b) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, Cblas(of_l), CblasNonUnit, b.rows, b.columns, 1,
              l.data, Int(l.stride), b.data, Int(b.stride));
}

void SolveRightTransposed(Matrix<const double> l, Matrix<double> b) {
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, b.rows, b.columns, 1,
              l.data, Int(l.stride), b.data, Int(b.stride));
}

void SolveVector(Matrix<const double> l, Op of_l, std::span<double> x) {
  cblas_dtrsv(CblasRowMajor, CblasLower, Cblas(of_l), CblasNonUnit, l.rows, l.data, Int(l.stride),
              x.data(), 1);
}

void SymmetricTimes(Matrix<const double> a, std::span<const double> x, std::span<double> y) {
  cblas_dsymv(CblasRowMajor, CblasLower, a.rows, 1, a.data, Int(a.stride), x.data(), 1, 0, y.data(),
              1);
}

double Dot(std::span<const double> a, std::span<const double> b) {
  return cblas_ddot(static_cast<int>(a.size()), a.data(), 1, b.data(), 1);
}

void AddTo(std::span<double> y, double factor, std::span<const double> x) {
  cblas_daxpy(static_cast<int>(y.size()), factor, x.data(), 1, y.data(), 1);
}

}  // namespace sdpa
