// topo's own rows.
#include "topo/topo.h"

#include <benchmark/benchmark.h>

#include <thread>

#include "topo/benches/team.h"

namespace topo {
namespace {

const Topology& Here() {
  static const Topology* here = new Topology(*ThisMachine());
  return *here;
}

template <typename Arrive>
void TimeBarrier(benchmark::State& state, Arrive arrive) {
  const Mapping mapping = Team(Here(), static_cast<int>(state.range(0)));
  TeamBarrier barrier(mapping);
  for (auto _ : state) {
    double seconds = 0;
    const absl::Status status = RunThreads(Here(), mapping, [&](const Slot& slot) {
      const double mine = SecondsOf(kBarrierRounds, [&] { arrive(barrier, slot); });
      if (slot.thread == 0) seconds = mine;
    });
    if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
    state.SetIterationTime(seconds / kBarrierRounds);
  }
}

void Load(benchmark::State& state) {
  for (auto _ : state) {
    auto topology = ThisMachine();
    benchmark::DoNotOptimize(topology);
  }
}
BENCHMARK(Load)->Name("load/topo")->Unit(benchmark::kMicrosecond);

void SlotLookup(benchmark::State& state) {
  const Mapping mapping = Team(Here(), 1024);
  int thread = 0;
  for (auto _ : state) {
    PuId pu = mapping[thread].pu;
    benchmark::DoNotOptimize(pu);
    thread = (thread + 1) & 1023;
  }
}
BENCHMARK(SlotLookup)->Name("slot_lookup/topo");

void CurrentSlotLookup(benchmark::State& state) {
  const Mapping mapping = Team(Here(), 1);
  const auto pin = ScopedAffinity::Pin(Here(), mapping[0]);
  for (auto _ : state) {
    PuId pu = CurrentSlot()->pu;
    benchmark::DoNotOptimize(pu);
  }
}
BENCHMARK(CurrentSlotLookup)->Name("current_thread/topo");

void AllBarrier(benchmark::State& state) {
  TimeBarrier(state, [](TeamBarrier& barrier, const Slot&) { barrier.All(); });
}
BENCHMARK(AllBarrier)
    ->Name("barrier/topo")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(10)
    ->UseManualTime();

void HierarchicalBarrier(benchmark::State& state) {
  TimeBarrier(state, [](TeamBarrier& barrier, const Slot& slot) { barrier.Hierarchical(slot); });
}
BENCHMARK(HierarchicalBarrier)
    ->Name("hierarchical_barrier/topo")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(10)
    ->UseManualTime();

}  // namespace
}  // namespace topo

BENCHMARK_MAIN();
