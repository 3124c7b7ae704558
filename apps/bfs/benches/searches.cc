#include "apps/bfs/benches/searches.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/bfs/measure/measure.h"
#include "apps/bfs/problem/keys.h"
#include "apps/bfs/problem/tuples.h"
#include "topo/topo.h"

namespace bfs {
namespace {

constexpr graph::Kronecker kGraph = {.scale = 20};
constexpr int kSearches = 16;

// A graph for the rows of its construction and of its searches. Lives as long as the process.
struct Subject {
  Subject(Variant variant, int threads)
      : machine(*topo::ThisMachine()),
        mapping(*topo::Plan(machine, topo::Policy::kNone, threads)),
        tuples(*Tuples::Generated(kGraph)),
        built(*Build(variant, machine, mapping, tuples)),
        searcher(built.searcher({})) {
    // What is measured is right: one answer is validated.
    const std::vector<graph::Vertex> keys =
        ChooseKeys(tuples.vertices(), 1, kGraph.seed, built.leads_on);
    const auto searched =
        SearchAndValidate(machine, mapping, tuples, keys, searcher, [](const std::string&) {});
    if (!searched.ok()) {
      std::fprintf(stderr, "%s\n", searched.status().ToString().c_str());
      std::exit(2);
    }
  }

  topo::Topology machine;
  topo::Mapping mapping;
  Tuples tuples;
  Built built;
  Searcher searcher;
};

Subject& SubjectOf(Variant variant, int threads) {
  static std::vector<std::pair<int, std::unique_ptr<Subject>>> subjects;
  for (const auto& [count, subject] : subjects) {
    if (count == threads) return *subject;
  }
  subjects.emplace_back(threads, std::make_unique<Subject>(variant, threads));
  return *subjects.back().second;
}

}  // namespace

void RegisterSearches(Variant variant, const char* name) {
  std::vector<int> threads = {1};
  if (const int all = topo::ThisMachine()->default_threads(); all > 1) threads.push_back(all);
  for (const int count : threads) {
    const std::string place = "/" + std::string(name) + "/threads:" + std::to_string(count);
    benchmark::RegisterBenchmark(("construction" + place).c_str(),
                                 [=](benchmark::State& state) {
                                   const Subject& subject = SubjectOf(variant, count);
                                   for (auto _ : state) {
                                     state.SetIterationTime(subject.built.construction_seconds);
                                   }
                                 })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(
        ("search" + place).c_str(),
        [=](benchmark::State& state) {
          const Subject& subject = SubjectOf(variant, count);
          const auto keys =
              ChooseKeys(subject.tuples.vertices(), kSearches, kGraph.seed, subject.built.leads_on);
          for (auto _ : state) {
            double seconds = 0;
            const absl::Status status =
                subject.searcher(keys, [&](const Answer& answer) { seconds += answer.seconds; });
            if (!status.ok()) return state.SkipWithError(status.ToString().c_str());
            state.SetIterationTime(seconds / kSearches);
          }
        })
        ->UseManualTime()
        ->Iterations(4)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace bfs
