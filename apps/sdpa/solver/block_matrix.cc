#include "apps/sdpa/solver/block_matrix.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <utility>

// LAPACK's, by columns: its upper triangle is the lower one by rows.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a,
             const int* lda, const double* vl, const double* vu, const int* il, const int* iu,
             const double* abstol, int* m, double* w, double* z, const int* ldz, int* isuppz,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
}

namespace sdpa {
namespace {

// The least eigenvalue; the matrix is lost.
double LeastEigenvalue(std::span<double> matrix, int n) {
  const int one = 1, work_size = 26 * n, whole_size = 10 * n;
  const double unused = 0, tolerance = 0;
  int found = 0, info = 0;
  std::vector<double> values(static_cast<std::size_t>(n)),
      work(static_cast<std::size_t>(work_size));
  std::vector<int> support(2), whole(static_cast<std::size_t>(whole_size));
  double vector = 0;
  dsyevr_("N", "I", "U", &n, matrix.data(), &n, &unused, &unused, &one, &one, &tolerance, &found,
          values.data(), &vector, &one, support.data(), work.data(), &work_size, whole.data(),
          &whole_size, &info);
  // Without an answer the step is none.
  return info == 0 && found == 1 ? values[0] : -HUGE_VAL;
}

}  // namespace

BlockMatrix::BlockMatrix(const std::vector<Block>& blocks) : blocks_(blocks) {
  for (const Block& block : blocks_) {
    const auto size = static_cast<std::size_t>(block.size);
    rows_ += size;
    elements_.emplace_back(block.shape == Shape::kDense ? size * size : size, 0.0);
  }
}

void BlockMatrix::AddToDiagonal(double value) {
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    const auto size = static_cast<std::size_t>(blocks_[l].size);
    const std::size_t stride = blocks_[l].shape == Shape::kDense ? size + 1 : 1;
    for (std::size_t i = 0; i < size; ++i) elements_[l][i * stride] += value;
  }
}

void BlockMatrix::Add(double scale, const BlockMatrix& other) {
  for (std::size_t l = 0; l < elements_.size(); ++l) {
    cblas_daxpy(static_cast<int>(elements_[l].size()), scale, other.elements_[l].data(), 1,
                elements_[l].data(), 1);
  }
}

void BlockMatrix::Add(double scale, const SparseMatrix& other) {
  for (const auto& [number, elements] : other) {
    const auto l = static_cast<std::size_t>(number);
    const auto size = static_cast<std::size_t>(blocks_[l].size);
    for (const auto [row, column, value] : elements) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
      if (blocks_[l].shape == Shape::kDiagonal) {
        elements_[l][i] += scale * value;
        continue;
      }
      elements_[l][i * size + j] += scale * value;
      if (i != j) elements_[l][j * size + i] += scale * value;
    }
  }
}

void BlockMatrix::Scale(double factor) {
  for (std::vector<double>& block : elements_) {
    for (double& element : block) element *= factor;
  }
}

double BlockMatrix::LargestAbsolute() const {
  double largest = 0;
  for (const std::vector<double>& block : elements_) {
    for (const double element : block) largest = std::max(largest, std::abs(element));
  }
  return largest;
}

double Dot(const BlockMatrix& a, const BlockMatrix& b) {
  double sum = 0;
  for (std::size_t l = 0; l < a.blocks().size(); ++l) {
    sum +=
        cblas_ddot(static_cast<int>(a.block(l).size()), a.block(l).data(), 1, b.block(l).data(), 1);
  }
  return sum;
}

double Dot(const SparseMatrix& a, const BlockMatrix& b) {
  double sum = 0;
  for (const auto& [number, elements] : a) {
    const auto l = static_cast<std::size_t>(number);
    const Block& of = b.blocks()[l];
    const auto size = static_cast<std::size_t>(of.size);
    for (const auto [row, column, value] : elements) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
      if (of.shape == Shape::kDiagonal) {
        sum += value * b.block(l)[i];
      } else if (i == j) {
        sum += value * b.block(l)[i * size + i];
      } else {
        sum += value * (b.block(l)[i * size + j] + b.block(l)[j * size + i]);
      }
    }
  }
  return sum;
}

BlockMatrix Product(const BlockMatrix& a, const BlockMatrix& b) {
  BlockMatrix product(a.blocks());
  for (std::size_t l = 0; l < a.blocks().size(); ++l) {
    const int n = a.blocks()[l].size;
    if (a.blocks()[l].shape == Shape::kDense) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.block(l).data(), n,
                  b.block(l).data(), n, 0, product.block(l).data(), n);
      continue;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      product.block(l)[i] = a.block(l)[i] * b.block(l)[i];
    }
  }
  return product;
}

BlockMatrix SymmetricPart(const BlockMatrix& a) {
  BlockMatrix part = a;
  for (std::size_t l = 0; l < a.blocks().size(); ++l) {
    if (a.blocks()[l].shape == Shape::kDiagonal) continue;
    const auto size = static_cast<std::size_t>(a.blocks()[l].size);
    const std::span<double> elements = part.block(l);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i + 1; j < size; ++j) {
        elements[i * size + j] = elements[j * size + i] =
            (elements[i * size + j] + elements[j * size + i]) / 2;
      }
    }
  }
  return part;
}

std::optional<CholeskyFactor> CholeskyFactor::Of(const BlockMatrix& matrix) {
  BlockMatrix factor = matrix;
  for (std::size_t l = 0; l < factor.blocks().size(); ++l) {
    const std::span<double> elements = factor.block(l);
    if (factor.blocks()[l].shape == Shape::kDiagonal) {
      for (double& element : elements) {
        if (!(element > 0)) return std::nullopt;
        element = std::sqrt(element);
      }
      continue;
    }
    const int n = factor.blocks()[l].size;
    int info = 0;
    dpotrf_("U", &n, elements.data(), &n, &info);
    if (info != 0) return std::nullopt;
  }
  return CholeskyFactor(std::move(factor));
}

BlockMatrix CholeskyFactor::Inverse() const {
  BlockMatrix inverse = factor_;
  for (std::size_t l = 0; l < inverse.blocks().size(); ++l) {
    const std::span<double> elements = inverse.block(l);
    if (inverse.blocks()[l].shape == Shape::kDiagonal) {
      for (double& element : elements) element = 1 / (element * element);
      continue;
    }
    const int n = inverse.blocks()[l].size;
    int info = 0;
    dpotri_("U", &n, elements.data(), &n, &info);
    const auto size = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i + 1; j < size; ++j) elements[i * size + j] = elements[j * size + i];
    }
  }
  return inverse;
}

// X + s D is positive semidefinite as long as 1 + s times the least eigenvalue of L^-1 D L'^-1 is
// not below 0.
double CholeskyFactor::LargestStep(const BlockMatrix& direction, double most) const {
  double least = -1 / most;
  for (std::size_t l = 0; l < factor_.blocks().size(); ++l) {
    const std::span<const double> factor = factor_.block(l);
    if (factor_.blocks()[l].shape == Shape::kDiagonal) {
      for (std::size_t i = 0; i < factor.size(); ++i) {
        least = std::min(least, direction.block(l)[i] / (factor[i] * factor[i]));
      }
      continue;
    }
    const int n = factor_.blocks()[l].size;
    std::vector<double> scaled(direction.block(l).begin(), direction.block(l).end());
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1,
                factor.data(), n, scaled.data(), n);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1,
                factor.data(), n, scaled.data(), n);
    least = std::min(least, LeastEigenvalue(scaled, n));
  }
  return -1 / least;
}

}  // namespace sdpa
