// The matrix that contestants factorize, and the check of what they return.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace factorization {

// Calls `each(first, last)` on all processors at once, for parts of the rows.
template <typename Each>
void ForRows(std::size_t n, Each each) {
  const std::size_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < parts; ++i) {
    threads.emplace_back(each, i * n / parts, (i + 1) * n / parts);
  }
  for (std::thread& thread : threads) thread.join();
}

// A resource: symmetric and positive definite, row by row.
template <typename Real>
class Matrix {
 public:
  explicit Matrix(int n)
      : n_(static_cast<std::size_t>(n)), original_(new Real[n_ * n_]), values_(new Real[n_ * n_]) {
    ForRows(n_, [this](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t j = 0; j < n_; ++j) original_[i * n_ + j] = Draw(i, j);
      }
    });
    Reset();
  }

  int n() const { return static_cast<int>(n_); }
  Real* data() { return values_.get(); }
  Real* original() { return original_.get(); }

  // As it was.
  void Reset() {
    ForRows(n_, [this](std::size_t first, std::size_t last) {
      std::copy(&original_[first * n_], original_.get() + last * n_, &values_[first * n_]);
    });
  }

  // Of U in the upper triangle: is A = UᵀU? Seen by a product with a vector.
  bool IsRight() const {
    std::vector<double> x(n_), ax(n_), utux(n_);
    for (std::size_t i = 0; i < n_; ++i) x[i] = std::sin(static_cast<double>(i + 1));
    std::mutex mutex;
    ForRows(n_, [&](std::size_t first, std::size_t last) {
      std::vector<double> part(n_);  // of Uᵀ(Ux)
      for (std::size_t i = first; i < last; ++i) {
        double ux = 0;
        for (std::size_t j = 0; j < n_; ++j) ax[i] += double{original_[i * n_ + j]} * x[j];
        for (std::size_t j = i; j < n_; ++j) ux += double{values_[i * n_ + j]} * x[j];
        for (std::size_t j = i; j < n_; ++j) part[j] += double{values_[i * n_ + j]} * ux;
      }
      const std::lock_guard lock(mutex);
      for (std::size_t j = 0; j < n_; ++j) utux[j] += part[j];
    });
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      difference += (ax[i] - utux[i]) * (ax[i] - utux[i]);
      norm += ax[i] * ax[i];
    }
    // False for what is no number.
    return std::sqrt(difference / norm) < (sizeof(Real) == 4 ? 1e-5 : 1e-13);
  }

 private:
  // In (-1, 1), but for the diagonal, which outweighs each row.
  Real Draw(std::size_t i, std::size_t j) const {
    std::uint64_t bits = (i * j + i + j + 1) * 0x9E3779B97F4A7C15u;
    bits ^= bits >> 29;
    const auto number = static_cast<Real>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
    return i == j ? number + static_cast<Real>(n_) : number;
  }

  const std::size_t n_;
  const std::unique_ptr<Real[]> original_, values_;
};

}  // namespace factorization
