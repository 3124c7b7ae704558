#include "apps/sdpa/benches/elements.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/measure/measure_elements.h"

namespace sdpa {

absl::StatusOr<Resolved> ResolveFor(const BenchProblem& problem, int threads) {
  Flags flags;
  flags.generate = problem.name;
  flags.threads = absl::StrCat(threads);
  return Resolve(flags);
}

void AddElementsRows(Method method, std::vector<Row>& rows) {
  const auto seconds = [method](const BenchProblem& problem,
                                int threads) -> absl::StatusOr<double> {
    auto resolved = ResolveFor(problem, threads);
    if (!resolved.ok()) return resolved.status();
    resolved->elements.methods = {method};
    const auto measured = MeasureElements(resolved->problem, resolved->topology, resolved->elements,
                                          [](const std::string&) {});
    if (!measured.ok()) return measured.status();
    return measured->front().seconds;
  };
  for (const BenchProblem& problem : BenchProblems()) {
    if (problem.has_elements_row) AddRows("elements_", problem, seconds, rows);
  }
}

}  // namespace sdpa
