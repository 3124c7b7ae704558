// A Cholesky factorization on a GPU, the same for every contestant: of a matrix in the host's
// ordinary memory, whose factor comes back there (`from:0`), and of one that is in the GPU's memory
// and stays there (`from:1`).
//
// A contestant is a class template, made for a matrix:
//
//   static constexpr const char* kName
//   Contestant(gpu::Matrix<Real>& matrix, int block)
//   void Factorize()       matrix.data() becomes U, by way of the GPU
//   void Place()           the GPU's memory holds the matrix as it was
//   void FactorizePlaced() and there it becomes U
//   void Fetch()           matrix.data() becomes what is there
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gpu {

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

enum class From { kHost, kGpu };

template <template <typename> typename Contestant, typename Real>
void Run(benchmark::State& state) {
  Matrix<Real> matrix(static_cast<int>(state.range(0)));
  Contestant<Real> contestant(matrix, static_cast<int>(state.range(1)));
  bool right = true;
  const auto factorize = [&](From from) {
    from == From::kHost ? contestant.Factorize() : contestant.FactorizePlaced();
  };
  const auto from = static_cast<From>(state.range(2));
  const auto prepare = [&] { from == From::kHost ? matrix.Reset() : contestant.Place(); };
  const auto check = [&] {
    if (from == From::kGpu) contestant.Fetch();
    right = matrix.IsRight() && right;
  };
  prepare();
  factorize(from);  // Once, so that libraries begin and memory is allocated.
  check();
  if (from == From::kGpu) matrix.Reset();
  for (auto _ : state) {
    state.PauseTiming();
    prepare();
    state.ResumeTiming();
    factorize(from);
  }
  check();
  if (!right) state.SkipWithError("wrong answer");
}

template <template <typename> typename Contestant>
void Register() {
  const auto add = [](const char* problem, void (*run)(benchmark::State&), int most) {
    const std::string name = std::string(problem) + "/" + Contestant<float>::kName;
    for (int n = 8192; n <= most; n *= 2) {
      for (const int from : {0, 1}) {
        benchmark::RegisterBenchmark(name.c_str(), run)
            ->Args({n, n / 16, from})
            ->ArgNames({"n", "block", "from"})
            ->Iterations(3)
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  };
  add("gpu_cholesky_f32", Run<Contestant, float>, 32768);
  add("gpu_cholesky_f64", Run<Contestant, double>, 16384);
}

}  // namespace gpu
