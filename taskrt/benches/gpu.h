// A Cholesky factorization on a GPU, the same for every contestant: of a matrix in the host's
// ordinary memory, whose factor comes back there (`resident:0`), and of one that is in the GPU's
// memory and stays there (`resident:1`).
//
// A contestant is a class template, made for a matrix:
//
//   static constexpr const char* kName
//   Contestant(factorization::Matrix<Real>& matrix, int block)
//   void Factorize()       matrix.data() becomes U, by way of the GPU
//   void Place()           the GPU's memory holds the matrix as it was
//   void FactorizePlaced() and there it becomes U
//   void Fetch()           matrix.data() becomes what is there
#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "taskrt/benches/matrix.h"

namespace gpu {

template <template <typename> typename Contestant, typename Real>
void Run(benchmark::State& state) {
  factorization::Matrix<Real> matrix(static_cast<int>(state.range(0)));
  Contestant<Real> contestant(matrix, static_cast<int>(state.range(1)));
  bool right = true;
  const bool is_resident = state.range(2) != 0;
  const auto prepare = [&] { is_resident ? contestant.Place() : matrix.Reset(); };
  const auto factorize = [&] {
    is_resident ? contestant.FactorizePlaced() : contestant.Factorize();
  };
  const auto check = [&] {
    if (is_resident) contestant.Fetch();
    right = matrix.IsRight() && right;
  };
  prepare();
  factorize();  // Once, so that libraries begin and memory is allocated.
  check();
  for (auto _ : state) {
    state.PauseTiming();
    prepare();
    state.ResumeTiming();
    factorize();
  }
  check();
  if (!right) state.SkipWithError("wrong answer");
}

template <template <typename> typename Contestant>
void Register() {
  const auto add = [](const char* problem, void (*run)(benchmark::State&), int most) {
    const std::string name = std::string(problem) + "/" + Contestant<float>::kName;
    for (int n = 8192; n <= most; n *= 2) {
      for (const int resident : {0, 1}) {
        benchmark::RegisterBenchmark(name.c_str(), run)
            ->Args({n, n / 16, resident})
            ->ArgNames({"n", "block", "resident"})
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
