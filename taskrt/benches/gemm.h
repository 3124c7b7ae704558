// A product of matrices on an OpenCL device, C -= AᵀB in single precision, the same for every
// contestant. A row's rate is in operations a second; A, B and C stay on the device.
//
// A contestant is a class, made of the matrices of n by n:
//
//   static constexpr const char* kName
//   Contestant(std::span<const float> a, std::span<const float> b, std::span<float> c)
//   bool Run(int times)    so many products; false: it cannot
//   void Finish()          c is what it should be
#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gemm {

inline constexpr int kTimes = 8;  // in one iteration

// Small whole numbers: sums are exact in any order.
inline float ElementOf(std::size_t i, std::size_t factor) {
  return static_cast<float>(i * factor % 5) - 2;
}

// Some rows of it, after so many products.
inline bool IsRight(const std::vector<float>& a, const std::vector<float>& b,
                    const std::vector<float>& c, std::size_t n, int products) {
  for (std::size_t row = 0; row < n; row += 37) {
    for (std::size_t column = 0; column < n; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[k * n + row] * b[k * n + column];
      if (c[row * n + column] != -sum * static_cast<float>(products)) return false;
    }
  }
  return true;
}

template <typename Contestant>
void Register() {
  benchmark::RegisterBenchmark(
      (std::string("opencl_gemm/") + Contestant::kName).c_str(),
      [](benchmark::State& state) {
        const auto n = static_cast<std::size_t>(state.range(0));
        std::vector<float> a(n * n), b(n * n), c(n * n);
        for (std::size_t i = 0; i < n * n; ++i) {
          a[i] = ElementOf(i, 7);
          b[i] = ElementOf(i, 3);
        }
        Contestant contestant(a, b, c);
        int products = 1;
        bool ran = contestant.Run(1);  // for the compiler
        for (auto _ : state) {
          ran = contestant.Run(kTimes) && ran;
          products += kTimes;
        }
        contestant.Finish();
        if (!ran) return state.SkipWithError("it cannot be run");
        if (!IsRight(a, b, c, n, products)) return state.SkipWithError("wrong answer");
        const double flops = 2 * std::pow(static_cast<double>(n), 3) * kTimes;
        state.SetItemsProcessed(static_cast<std::int64_t>(flops) *
                                static_cast<std::int64_t>(state.iterations()));
      })
      ->ArgName("n")
      ->Arg(256)
      ->Arg(512)
      ->Arg(1024)
      ->Iterations(5)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace gemm
