// Solves semidefinite programs.
//
// Source: [ULIBC14] section 4.3.
#include <CLI/CLI.hpp>
#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/table.h"
#include "apps/program/terminal.h"
#include "apps/sdpa/certify.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/flags.h"
#include "apps/sdpa/solver/claim.h"
#include "apps/sdpa/solver/interior_point.h"
#include "topo/topo.h"

namespace {

// What a solution's errors may be.
constexpr double kMostError = 1e-5;

// So many that it is read again as the same number.
std::string AllDigits(double number) { return program::Json(number).dump(); }

std::string ToTable(const std::vector<sdpa::Iteration>& iterations, program::Color color) {
  program::Table table({{"iteration"},
                        {"mu"},
                        {"primal error"},
                        {"dual error"},
                        {"primal objective"},
                        {"dual objective"},
                        {"primal step"},
                        {"dual step"}});
  const auto short_form = [](double value) { return absl::StrCat(absl::SixDigits(value)); };
  for (const sdpa::Iteration& each : iterations) {
    table.AddRow({absl::StrCat(each.number), short_form(each.mu),
                  short_form(each.quality.primal_error), short_form(each.quality.dual_error),
                  absl::StrCat(each.quality.primal), absl::StrCat(each.quality.dual),
                  program::Fixed(each.primal_step, 3), program::Fixed(each.dual_step, 3)});
  }
  return table.Render(color);
}

absl::Status Main(const sdpa::Flags& flags, const std::string& command) {
  const auto resolved = sdpa::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  const sdpa::Problem& problem = resolved->problem;
  auto outputs = program::Outputs::Open(
      {{"--json", flags.json}, {"--write", flags.write}, {"--output", flags.output}});
  if (!outputs.ok()) return outputs.status();
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();

  std::vector<sdpa::Iteration> iterations;
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<sdpa::Solution<double>> solution;
  {
    program::Progress progress;
    solution = sdpa::Solve(
        problem, {.most_iterations = flags.iterations,
                  .tolerance = flags.tolerance,
                  .progress = [&](const sdpa::Iteration& iteration) {
                    iterations.push_back(iteration);
                    progress.Show(absl::StrCat("sdpa: iteration ", iteration.number, ", gap ",
                                               absl::SixDigits(iteration.quality.gap)));
                  }});
  }
  if (!solution.ok()) return solution.status();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const sdpa::Certificate certificate = sdpa::Certify(problem, sdpa::ClaimOf(solution->point));
  if (solution->phase != sdpa::Phase::kOptimal || certificate.largest_error() > kMostError) {
    return absl::DeadlineExceededError(absl::StrCat(
        resolved->name, ": no solution after ", solution->iterations, " iterations; primal ",
        solution->quality.primal, ", dual ", solution->quality.dual, ", largest DIMACS error ",
        certificate.largest_error()));
  }

  program::Record record("sdpa", "0.1.0", program::DescribeMachine(*topology, program::Commit()));
  record.parameters() = {{"command", command}, {"tolerance", flags.tolerance}};
  record.AddResult({{"mode", "solve"},
                    {"instance", resolved->name},
                    {"m", problem.constraints()},
                    {"threads", 1},
                    {"precision", "double"},
                    {"schur", "dense"},
                    {"phase", "optimal"},
                    {"iterations", solution->iterations},
                    {"primal", certificate.primal},
                    {"dual", certificate.dual},
                    {"seconds", seconds},
                    {"dimacs", certificate.errors}});
  outputs->text() << ToTable(iterations, outputs->color()) << "\n"
                  << resolved->name << ": optimal after " << solution->iterations
                  << " iterations and " << program::Fixed(seconds, 2) << " s\n"
                  << absl::StrCat("primal objective ", AllDigits(certificate.primal),
                                  "\ndual objective   ", AllDigits(certificate.dual),
                                  "\nDIMACS errors    ", absl::StrJoin(certificate.errors, " "),
                                  "\n");
  absl::Status status = outputs->Commit("--json", [&] { return record.ToText(); });
  status.Update(outputs->Commit(
      "--write", [&] { return sdpa::ToText(sdpa::FormatOf(flags.write), problem); }));
  status.Update(outputs->Commit("--output", [&] {
    std::string text;
    for (const double element : solution->point.x) {
      absl::StrAppend(&text, AllDigits(element), "\n");
    }
    return text;
  }));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Solves semidefinite programs.", "sdpa");
  sdpa::Flags flags;
  sdpa::AddFlags(app, flags);
  return program::Run(app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/sdpa", argc, argv)); });
}
