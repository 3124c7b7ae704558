// hwloc by itself: what loading costs, and where the calling thread is.
#include <benchmark/benchmark.h>
#include <hwloc.h>

namespace {

void Load(benchmark::State& state) {
  for (auto _ : state) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
      state.SkipWithError("hwloc cannot load this machine");
      return;
    }
    hwloc_topology_destroy(topology);
  }
}
BENCHMARK(Load)->Name("load/hwloc")->Unit(benchmark::kMicrosecond);

void CurrentThread(benchmark::State& state) {
  hwloc_topology_t topology;
  hwloc_topology_init(&topology);
  hwloc_topology_load(topology);
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  for (auto _ : state) {
    hwloc_get_last_cpu_location(topology, set, HWLOC_CPUBIND_THREAD);
    int pu = hwloc_bitmap_first(set);
    benchmark::DoNotOptimize(pu);
  }
  hwloc_bitmap_free(set);
  hwloc_topology_destroy(topology);
}
BENCHMARK(CurrentThread)->Name("current_thread/hwloc");

}  // namespace

BENCHMARK_MAIN();
