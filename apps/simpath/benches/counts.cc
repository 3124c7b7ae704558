#include "apps/simpath/benches/counts.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace simpath {
namespace {

// A value.
struct Known {
  std::string name;
  graph::EdgeList graph;  // from its first vertex to its last
  std::string count;
};

graph::EdgeList King(graph::Vertex side) {
  graph::EdgeList list = {
      .vertices = std::uint64_t{side} * side, .edges = {}, .terminals = {}, .max_length = {}};
  for (graph::Vertex row = 0; row < side; ++row) {
    for (graph::Vertex column = 0; column < side; ++column) {
      const graph::Vertex square = row * side + column;
      const bool has_right = column + 1 < side, has_below = row + 1 < side;
      if (has_right) list.edges.push_back({square, square + 1});
      if (has_below && column > 0) list.edges.push_back({square, square + side - 1});
      if (has_below) list.edges.push_back({square, square + side});
      if (has_below && has_right) list.edges.push_back({square, square + side + 1});
    }
  }
  return list;
}

// OEIS A007764 and A140518, which both count vertices a side.
std::vector<Known> KnownCounts() {
  return {{"grid:11", Grid(11), "182413291514248049241470885236"},
          {"king:8", King(8), "50819542770311581606906543"}};
}

void Measure(benchmark::State& state, const Known& known, const Counter& counter, int threads) {
  const Problem problem = *MakeProblem(known.graph, 0, known.graph.vertices - 1);
  for (auto _ : state) {
    const absl::StatusOr<Count> count = counter(problem, threads);
    if (!count.ok() || count->ToString() != known.count) {
      std::fprintf(stderr, "%s: %s, not %s\n", known.name.c_str(),
                   count.ok() ? count->ToString().c_str() : count.status().ToString().c_str(),
                   known.count.c_str());
      std::exit(2);
    }
  }
}

}  // namespace

int RunCounts(int argc, char** argv, const char* name, const Counter& counter) {
  std::vector<int> threads = {1};
  if (const int all = topo::ThisMachine()->default_threads(); all > 1) threads.push_back(all);
  for (const Known& known : KnownCounts()) {
    for (const int count : threads) {
      const std::string row = known.name + "/" + name + "/threads:" + std::to_string(count);
      benchmark::RegisterBenchmark(
          row.c_str(), [=](benchmark::State& state) { Measure(state, known, counter, count); })
          ->UseRealTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace simpath
