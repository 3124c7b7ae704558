// The standard library: std::barrier on the same threads and PUs, and the
// kernel's call for where the calling thread is.
#include <benchmark/benchmark.h>
#include <sched.h>

#include <barrier>

#include "topo/benches/team.h"

namespace topo {
namespace {

void StdBarrier(benchmark::State& state) {
  static const Topology* here = new Topology(*ThisMachine());
  const Mapping mapping = Team(*here, static_cast<int>(state.range(0)));
  std::barrier<> barrier(mapping.size());
  for (auto _ : state) {
    double seconds = 0;
    const absl::Status status = RunThreads(*here, mapping, [&](const Slot& slot) {
      const double mine = SecondsOf(kBarrierRounds, [&] { barrier.arrive_and_wait(); });
      if (slot.thread == 0) seconds = mine;
    });
    if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
    state.SetIterationTime(seconds / kBarrierRounds);
  }
}
BENCHMARK(StdBarrier)
    ->Name("barrier/std")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(10)
    ->UseManualTime();

void GetCpu(benchmark::State& state) {
  for (auto _ : state) {
    int pu = sched_getcpu();
    benchmark::DoNotOptimize(pu);
  }
}
BENCHMARK(GetCpu)->Name("current_thread/getcpu");

}  // namespace
}  // namespace topo

BENCHMARK_MAIN();
