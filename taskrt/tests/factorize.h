// A matrix that is factorized by tasks, and how right the factor is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/runtime.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {

template <typename T>
inline constexpr cholesky::Precision kPrecisionOf = sizeof(T) == 4 ? cholesky::Precision::kF32
                                                                   : cholesky::Precision::kF64;

// Symmetric and positive definite, row by row.
template <typename T>
std::vector<T> MakeMatrix(int n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<T> number(-1, 1);
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> a(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) a[i * size + j] = a[j * size + i] = number(random);
    a[i * size + i] += static_cast<T>(n);
  }
  return a;
}

// The largest element of A - UᵀU, of the largest of A.
template <typename T>
double Residual(const std::vector<T>& a, const std::vector<T>& u, int n) {
  const auto size = static_cast<std::size_t>(n);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= i; ++k) sum += double{u[k * size + i]} * u[k * size + j];
      worst = std::max(worst, std::abs(sum - a[i * size + j]));
      largest = std::max(largest, std::abs(double{a[i * size + j]}));
    }
  }
  return worst / largest;
}

// In blocks of b; `matrix` becomes U in its upper triangle. `make(kind)`: the kernel of such a
// task.
template <typename T, typename Make>
absl::Status Factorize(Runtime& runtime, std::vector<T>& matrix, int n, int b, Make make) {
  const int count = n / b;
  const std::uint64_t row = static_cast<std::uint64_t>(b) * sizeof(T);
  std::vector<Handle> handles(cholesky::BlocksOf(count));
  for (int k = 0; k < count; ++k) {
    for (int i = k; i < count; ++i) {
      T* const at = matrix.data() + static_cast<std::ptrdiff_t>(k) * b * n + i * b;
      handles[cholesky::BlockAt(k, i, count)] =
          runtime.Register(absl::StrCat("A[", k, "][", i, "]"),
                           {reinterpret_cast<std::byte*>(at), static_cast<std::uint64_t>(b), row,
                            static_cast<std::uint64_t>(n) * sizeof(T)});
    }
  }
  std::vector<Kernel> kernels;
  for (int which = 0; which < 4; ++which) {
    kernels.push_back(make(static_cast<cholesky::Kernel>(which)));
  }
  return runtime.Run([&](Runtime& rt) {
    cholesky::ForEachTask(count, [&](const cholesky::Task& task) {
      std::vector<Access> accesses;
      for (const PlannedAccess& access : AccessesOf(task, count)) {
        accesses.push_back({handles[access.block], access.mode});
      }
      const cholesky::TaskScalars scalars = {.first_column = task.k * b, .side = b};
      rt.Submit(kernels[static_cast<std::size_t>(task.kernel)], accesses,
                std::as_bytes(std::span(&scalars, 1)));
    });
    return rt.Wait();
  });
}

}  // namespace taskrt
