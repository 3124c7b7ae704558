// The barrier of the compiler's OpenMP runtime on the same threads and PUs.
#include <benchmark/benchmark.h>
#include <omp.h>

#include "topo/benches/team.h"

namespace topo {
namespace {

void OpenMpBarrier(benchmark::State& state) {
  static const Topology* here = new Topology(*ThisMachine());
  const int threads = static_cast<int>(state.range(0));
  const Mapping mapping = Team(*here, threads);
  for (auto _ : state) {
    double seconds = 0;
#pragma omp parallel num_threads(threads)
    {
      const auto pin = ScopedAffinity::Pin(*here, mapping[omp_get_thread_num()]);
      const double mine = SecondsOf(kBarrierRounds, [] {
#pragma omp barrier
      });
      if (omp_get_thread_num() == 0) seconds = mine;
    }
    state.SetIterationTime(seconds / kBarrierRounds);
  }
}
BENCHMARK(OpenMpBarrier)
    ->Name("barrier/openmp")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(10)
    ->UseManualTime();
BENCHMARK(OpenMpBarrier)
    ->Name("hierarchical_barrier/openmp")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(10)
    ->UseManualTime();

}  // namespace
}  // namespace topo

BENCHMARK_MAIN();
