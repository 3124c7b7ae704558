// The fast search.
#include <benchmark/benchmark.h>

#include "apps/bfs/benches/searches.h"
#include "apps/bfs/measure/variant.h"

int main(int argc, char** argv) {
  bfs::RegisterSearches(bfs::Variant::kFast, "bfs");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
