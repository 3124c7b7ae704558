// Solves semidefinite programs.
//
// Source: [ULIBC14] section 4.3.
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/files/number_text.h"
#include "apps/sdpa/files/solution_formats.h"
#include "apps/sdpa/flags.h"
#include "apps/sdpa/measure_elements.h"
#include "apps/sdpa/results.h"
#include "apps/sdpa/solve.h"

namespace {

sdpa::SdpaResult ResultOf(const sdpa::Outcome& outcome) {
  return {.phase = outcome.phase == sdpa::Phase::kOptimal ? sdpa::SdpaPhase::kOptimal
                   : outcome.phase == sdpa::Phase::kPrimalInfeasible
                       ? sdpa::SdpaPhase::kDualUnbounded
                       : sdpa::SdpaPhase::kPrimalUnbounded,
          .iterations = static_cast<int>(outcome.iterations.size()),
          .mu = outcome.certificate.mu,
          .primal = outcome.certificate.primal,
          .dual = outcome.certificate.dual,
          .primal_error = outcome.certificate.primal_residual,
          .dual_error = outcome.certificate.dual_residual,
          .seconds = outcome.seconds};
}

std::string LinesOf(const std::vector<double>& x) {
  std::string text;
  for (const double element : x) absl::StrAppend(&text, sdpa::Shortest(element), "\n");
  return text;
}

// A line of the iteration that goes on, at a terminal.
void Show(program::Progress& progress, const sdpa::Resolved& resolved,
          const sdpa::Iteration& iteration) {
  progress.Show(absl::StrCat(resolved.name, ": iteration ", iteration.number, ", gap ",
                             absl::SixDigits(iteration.quality.gap)));
}

absl::Status Solve(const sdpa::Flags& flags, const sdpa::Resolved& resolved,
                   program::Record& record, program::Outputs& outputs) {
  std::vector<sdpa::Outcome> outcomes;
  for (const topo::Mapping& mapping : resolved.mappings) {
    absl::StatusOr<sdpa::Outcome> outcome;
    std::vector<sdpa::Iteration> iterations;
    {
      program::Progress progress;
      outcome = sdpa::SolveAndCertify(resolved, mapping, [&](const sdpa::Iteration& iteration) {
        iterations.push_back(iteration);
        Show(progress, resolved, iteration);
      });
    }
    if (!outcome.ok()) {
      // How far a run came that has stalled.
      if (!iterations.empty()) outputs.text() << ToText(iterations, outputs.color()) << "\n";
      return outcome.status();
    }
    record.AddResult(ToJson(resolved, flags, *outcome));
    outputs.text() << ToText(resolved, *outcome, outputs.color());
    if (!outcome->checkpoint.ok()) {
      outputs.text() << "the last checkpoint is missing: " << outcome->checkpoint.message() << "\n";
    }
    outcomes.push_back(*std::move(outcome));
  }
  const sdpa::SolutionValues& solution = outcomes.front().solution;
  absl::Status status = outputs.Commit("--result", [&] {
    return sdpa::SdpaResultText(ResultOf(outcomes.front()), resolved.problem, solution);
  });
  status.Update(outputs.Commit("--solution",
                               [&] { return sdpa::CsdpSolutionText(resolved.problem, solution); }));
  status.Update(outputs.Commit("--output", [&] { return LinesOf(solution.x); }));
  status.Update(outputs.Commit("--svg", [&] { return sdpa::ToSvg(resolved, outcomes); }));
  return status;
}

absl::Status Measure(const sdpa::Resolved& resolved, program::Record& record,
                     program::Outputs& outputs) {
  absl::StatusOr<std::vector<sdpa::ElementsTime>> rows;
  {
    program::Progress progress;
    rows = sdpa::MeasureElements(resolved, resolved.repetitions,
                                 [&](const std::string& line) { progress.Show(line); });
  }
  if (!rows.ok()) return rows.status();
  for (const sdpa::ElementsTime& row : *rows) record.AddResult(ToJson(resolved, row));
  outputs.text() << ToText(resolved, *rows, outputs.color());
  return outputs.Commit("--svg", [&] { return sdpa::ToSvg(resolved, *rows); });
}

absl::Status Main(const sdpa::Flags& flags, const std::string& command) {
  const auto resolved = sdpa::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json},
                                         {"--write", flags.write},
                                         {"--result", flags.result},
                                         {"--solution", flags.solution},
                                         {"--output", flags.output},
                                         {"--svg", flags.svg}});
  if (!outputs.ok()) return outputs.status();
  program::Record record("sdpa", "0.1.0",
                         program::DescribeMachine(resolved->topology, program::Commit()));
  record.parameters() = {{"command", command}, {"tolerance", resolved->options.tolerance}};
  absl::Status status = outputs->Commit(
      "--write", [&] { return sdpa::ToText(sdpa::FormatOf(flags.write), resolved->problem); });
  if (status.ok()) {
    status = resolved->mode == sdpa::Mode::kSolve ? Solve(flags, *resolved, record, *outputs)
                                                  : Measure(*resolved, record, *outputs);
  }
  if (status.ok()) status = outputs->Commit("--json", [&] { return record.ToText(); });
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const auto app = program::MakeApp("Solves semidefinite programs.", "sdpa");
  sdpa::Flags flags;
  sdpa::AddFlags(*app, flags);
  return program::Run(*app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/sdpa", argc, argv)); });
}
