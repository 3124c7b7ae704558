// Solves semidefinite programs.
//
// Source: [ULIBC14] section 4.3.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/commit.h"
#include "apps/program/interrupts.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/files/number_text.h"
#include "apps/sdpa/files/solution_formats.h"
#include "apps/sdpa/measure/measure_elements.h"
#include "apps/sdpa/peers/command_lines.h"
#include "apps/sdpa/peers/reports.h"
#include "apps/sdpa/peers/run.h"
#include "apps/sdpa/proof/judge.h"
#include "apps/sdpa/run/flags.h"
#include "apps/sdpa/run/resolve.h"
#include "apps/sdpa/run/results.h"
#include "apps/sdpa/solve/iteration_text.h"
#include "apps/sdpa/solve/resumable.h"
#include "apps/sdpa/solve/solve.h"

namespace {

std::string LinesOf(const sdpa::SolutionValues& solution) {
  std::string text;
  for (std::size_t i = 0; i < solution.x.size(); ++i) {
    const double low = solution.low.x.empty() ? 0 : solution.low.x[i];
    absl::StrAppend(
        &text, low == 0 ? sdpa::Shortest(solution.x[i]) : sdpa::Digits(solution.x[i], low), "\n");
  }
  return text;
}

// `code`: the program's, where all else is well.
absl::Status Solve(const sdpa::Flags& flags, const sdpa::Resolved& resolved,
                   program::Record& record, program::Outputs& outputs, int& code) {
  const program::Interrupts interrupts;
  std::vector<sdpa::Outcome> outcomes;
  for (const topo::Mapping& mapping : resolved.mappings) {
    sdpa::Options options = resolved.options;
    options.mapping = mapping;
    if (resolved.initial) options.initial = &*resolved.initial;
    bool has_head = false;
    const auto show = [&](const sdpa::Iteration& iteration) {
      if (!std::exchange(has_head, true)) outputs.text() << sdpa::HeadOfIterations();
      outputs.text() << sdpa::ToText(iteration) << std::flush;
      return !program::Interrupts::WasAsked();
    };
    absl::StatusOr<sdpa::ResumableOutcome> run =
        sdpa::SolveResumably(resolved.name, resolved.problem, options, resolved.checkpoint, show);
    if (!run.ok()) return run.status();
    sdpa::Outcome* const outcome = &run->outcome;
    record.AddResult(ToJson(resolved, flags, *outcome));
    outputs.text() << ToText(resolved, *outcome);
    if (!run->checkpoint.ok()) {
      outputs.text() << "the last checkpoint is missing: " << run->checkpoint.message() << "\n";
    }
    const int code_of_run = ExitCodeOf(outcome->judgement.status);
    if (code == program::kExitVerified) code = code_of_run;
    if (code != program::kExitVerified) record.SetUnverified();
    outcomes.push_back(std::move(run->outcome));
    if (program::Interrupts::WasAsked()) break;
  }
  const sdpa::SolutionValues& solution = outcomes.front().solution;
  absl::Status status = outputs.Commit("--result", [&] {
    return sdpa::SdpaResultText(
        sdpa::ResultOf(outcomes.front(), resolved.options.tolerance_or_default()), resolved.problem,
        solution);
  });
  status.Update(outputs.Commit("--solution",
                               [&] { return sdpa::CsdpSolutionText(resolved.problem, solution); }));
  status.Update(outputs.Commit("--output", [&] { return LinesOf(solution); }));
  status.Update(outputs.Commit("--svg", [&] { return sdpa::ToSvg(resolved, outcomes); }));
  return status;
}

absl::Status Measure(const sdpa::Resolved& resolved, program::Record& record,
                     program::Outputs& outputs) {
  absl::StatusOr<std::vector<sdpa::ElementsTime>> rows;
  {
    program::Progress progress;
    rows = sdpa::MeasureElements(resolved.problem, resolved.topology, resolved.elements,
                                 [&](const std::string& line) { progress.Show(line); });
  }
  if (!rows.ok()) return rows.status();
  for (const sdpa::ElementsTime& row : *rows) record.AddResult(ToJson(resolved, row));
  outputs.text() << ToText(resolved, *rows, outputs.color());
  return outputs.Commit("--svg", [&] { return sdpa::ToSvg(resolved, *rows); });
}

absl::Status Main(const sdpa::Flags& flags, const std::string& command, int& code) {
  const auto resolved = sdpa::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json},
                                         {"--write", flags.write},
                                         {"--result", flags.result},
                                         {"--solution", flags.solution},
                                         {"--output", flags.output},
                                         {"--svg", flags.svg}});
  if (!outputs.ok()) return outputs.status();
  program::Record record("sdpa", program::kVersion,
                         program::DescribeMachine(resolved->topology, program::Commit()));
  record.parameters() = {{"command", command},
                         {"tolerance", resolved->options.tolerance_or_default()}};
  absl::Status status = outputs->Commit(
      "--write", [&] { return sdpa::ToText(sdpa::FormatOf(flags.write), resolved->problem); });
  if (status.ok()) {
    status = resolved->mode == sdpa::Mode::kSolve ? Solve(flags, *resolved, record, *outputs, code)
                                                  : Measure(*resolved, record, *outputs);
  }
  if (status.ok()) status = outputs->Commit("--json", [&] { return record.ToText(); });
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const auto peer = sdpa::PeerOf(argv[0], arguments)) {
    return sdpa::RunAsPeer(*peer, arguments);
  }
  const auto app = program::MakeApp("Solves semidefinite programs.", "sdpa", program::Commit());
  sdpa::Flags flags;
  sdpa::AddFlags(*app, flags);
  int code_of_end = program::kExitVerified;
  const int code = program::Run(*app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/sdpa", argc, argv), code_of_end);
  });
  return code != program::kExitVerified ? code : code_of_end;
}
