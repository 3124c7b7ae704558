#include "apps/cholesky/problem/matrix.h"

#include <cblas.h>

#include <cmath>
#include <random>

namespace cholesky {
namespace {

// The diagonal outweighs each row.
template <typename T>
void Fill(std::vector<T>& values, std::size_t n, std::uint64_t seed) {
  values.resize(n * n);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> number(-1, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) values[i * n + j] = values[j * n + i] = number(random);
    values[i * n + i] += static_cast<T>(n);
  }
}

void SubtractProduct(int n, const float* u, float* a) {
  cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, u, n, 1, a, n);
}
void SubtractProduct(int n, const double* u, double* a) {
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, -1, u, n, 1, a, n);
}

// By all cores, as no task runs any more: a task's kernels use one thread each.
template <typename T>
void SubtractProductByAll(int n, const T* u, T* a) {
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(openblas_get_num_procs());
  SubtractProduct(n, u, a);
  openblas_set_num_threads(before);
}

template <typename T>
double NormOfUpper(const std::vector<T>& a, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      sum += (i == j ? 1 : 2) * static_cast<double>(a[i * n + j]) * a[i * n + j];
    }
  }
  return std::sqrt(sum);
}

template <typename T>
double ResidualOf(const std::vector<T>& original, std::vector<T> u, int n) {
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) u[i * size + j] = 0;
  }
  std::vector<T> left = original;
  SubtractProductByAll(n, u.data(), left.data());
  return NormOfUpper(left, size) / NormOfUpper(original, size);
}

template <typename T>
std::optional<int> FirstNotPositive(const std::vector<T>& values, int n) {
  for (int i = 0; i < n; ++i) {
    if (!(values[static_cast<std::size_t>(i) * static_cast<std::size_t>(n + 1)] > 0)) return i;
  }
  return std::nullopt;
}

template <typename T>
taskrt::Tile TileOf(std::vector<T>& values, std::size_t n, std::size_t row, std::size_t column,
                    std::size_t b) {
  T* const at = values.empty() ? nullptr : values.data() + row * b * n + column * b;
  return {reinterpret_cast<std::byte*>(at), b, b * sizeof(T), n * sizeof(T)};
}

}  // namespace

Matrix::Matrix(int n, Precision precision, std::uint64_t seed, bool is_dry)
    : n_(n), precision_(precision) {
  if (is_dry) return;
  if (precision_ == Precision::kF32) {
    Fill(original32_, size(), seed);
    values32_ = original32_;
  } else {
    Fill(original64_, size(), seed);
    values64_ = original64_;
  }
}

taskrt::Tile Matrix::BlockAt(int row, int column, int b) {
  const auto at_row = static_cast<std::size_t>(row), at_column = static_cast<std::size_t>(column);
  const auto of_block = static_cast<std::size_t>(b);
  return precision_ == Precision::kF32 ? TileOf(values32_, size(), at_row, at_column, of_block)
                                       : TileOf(values64_, size(), at_row, at_column, of_block);
}

void Matrix::Spoil(int column) {
  const std::size_t at = static_cast<std::size_t>(column) * (size() + 1);
  for (std::vector<float>* values : {&original32_, &values32_}) {
    if (!values->empty()) (*values)[at] *= -1;
  }
  for (std::vector<double>* values : {&original64_, &values64_}) {
    if (!values->empty()) (*values)[at] *= -1;
  }
}

std::optional<int> Matrix::NotPositive() const {
  return precision_ == Precision::kF32 ? FirstNotPositive(values32_, n_)
                                       : FirstNotPositive(values64_, n_);
}

double Matrix::Residual() const {
  return precision_ == Precision::kF32 ? ResidualOf(original32_, values32_, n_)
                                       : ResidualOf(original64_, values64_, n_);
}

}  // namespace cholesky
