#include "apps/sdpa/benches/rows.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "topo/topo.h"

namespace sdpa {

// By //apps/sdpa with --tolerance=1e-9 (of control-40 1e-8): both objectives begin with these
// digits.
const std::vector<BenchProblem>& BenchProblems() {
  static const std::vector<BenchProblem> problems = {
      {.name = "theta-200", .value = 49.5471804, .has_elements_row = true},
      {.name = "theta-300",
       .value = 63.2672958,
       .has_elements_row = true,
       .has_cholesky_row = true},
      {.name = "control-40", .value = -5.103531, .has_elements_row = true},
      {.name = "max-cut-800", .value = 603.406182},
      {.name = "bordered-theta-800", .value = 400},
      {.name = "truss", .value = 19.3809585},
      {.name = "blocks", .value = 4710.43368},
      {.name = "material", .value = -200.884184, .has_elements_row = true}};
  return problems;
}

absl::Status CheckValue(const BenchProblem& problem, double value, double relative) {
  // False for what is no number.
  if (std::abs(value - problem.value) <= relative * std::max(1.0, std::abs(problem.value))) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(
      absl::StrCat(problem.name, ": its value is ", problem.value, ", not ", value));
}

std::vector<int> ThreadCounts() {
  std::vector<int> threads = {1};
  if (const int all = topo::ThisMachine()->default_threads(); all > 1) threads.push_back(all);
  return threads;
}

void AddRows(const std::string& what, const BenchProblem& problem,
             const std::function<absl::StatusOr<double>(const BenchProblem&, int threads)>& seconds,
             std::vector<Row>& rows) {
  for (const int threads : ThreadCounts()) {
    rows.push_back({what + problem.name, threads, [=] { return seconds(problem, threads); }});
  }
}

int RunRows(int argc, char** argv, const std::string& contestant, const std::string& note,
            const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string name = absl::StrCat(row.name, "/", contestant, "/threads:", row.threads);
    benchmark::RegisterBenchmark(
        name.c_str(),
        [&row](benchmark::State& state) {
          for (auto _ : state) {
            const absl::StatusOr<double> seconds = row.seconds();
            if (!seconds.ok()) {
              return state.SkipWithError(std::string(seconds.status().message()).c_str());
            }
            state.SetIterationTime(*seconds);
          }
        })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  if (!note.empty()) benchmark::AddCustomContext("note", note);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace sdpa
