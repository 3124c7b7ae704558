#include "apps/sdpa/flags.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/read.h"
#include "apps/program/memory.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/generate/graph_problems.h"

namespace sdpa {

void AddFlags(CLI::App& app, Flags& flags) {
  auto* const problem =
      app.add_option("--problem", flags.problem, "a semidefinite program: .dat-s, or .dat (dense)");
  auto* const theta = app.add_option("--theta", flags.theta,
                                     "Lovász's theta of the graph in this file (apps/graph)");
  auto* const max_cut = app.add_option(
      "--max-cut", flags.max_cut, "the relaxation of the largest cut of the graph in this file");
  problem->excludes(theta)->excludes(max_cut);
  theta->excludes(max_cut);
  app.add_option("--iterations", flags.iterations, "at most (default 100)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--tolerance", flags.tolerance,
                 "of the relative gap and errors of a solution (default 1e-7)")
      ->check(CLI::Range(1e-15, 1.0));
  app.add_option("--write", flags.write, "write the problem to this file, as .dat-s or .dat");
  app.add_option("--output", flags.output, "write x to this file, an element a line");
  app.add_option("--json", flags.json, "write the results to this file, - for standard output");
}

namespace {

absl::StatusOr<graph::EdgeList> ReadGraph(const std::string& file) {
  absl::StatusOr<graph::EdgeList> graph = graph::Read(file, {.format = std::nullopt, .parse = {}});
  constexpr std::uint64_t kMostVertices = 100'000;
  if (graph.ok() && (graph->vertices == 0 || graph->vertices > kMostVertices)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": it has ", graph->vertices,
                                                   " vertices; expected 1 to ", kMostVertices));
  }
  return graph;
}

absl::StatusOr<Resolved> Read(const Flags& flags) {
  if (flags.problem.empty() && flags.theta.empty() && flags.max_cut.empty()) {
    return absl::InvalidArgumentError("one of --problem, --theta and --max-cut says what to solve");
  }
  if (flags.problem.empty()) {
    const std::string& file = flags.theta.empty() ? flags.max_cut : flags.theta;
    const auto graph = ReadGraph(file);
    if (!graph.ok()) return graph.status();
    return Resolved{absl::StrCat(flags.theta.empty() ? "max-cut of " : "theta of ", file),
                    flags.theta.empty() ? MaxCut(*graph) : Theta(*graph)};
  }
  std::ifstream stream(flags.problem, std::ios::binary);
  if (!stream) return absl::NotFoundError(flags.problem + ": cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  auto problem = Parse(FormatOf(flags.problem), flags.problem, bytes);
  if (!problem.ok()) return problem.status();
  return Resolved{flags.problem, *std::move(problem)};
}

}  // namespace

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  absl::StatusOr<Resolved> resolved = Read(flags);
  if (!resolved.ok()) return resolved;
  const auto m = static_cast<double>(resolved->problem.constraints());
  double elements = 0;
  for (const Block& block : resolved->problem.blocks) {
    const double size = block.size;
    elements += block.shape == Shape::kDense ? size * size : size;
  }
  // The Schur complement's matrix; X, Y, their inverse and factors, residual, products, directions.
  constexpr double kBlockMatrices = 16;
  const double needed = 8 * (m * m + kBlockMatrices * elements);
  const auto available = program::AvailableBytes();
  if (available && needed > static_cast<double>(*available)) {
    return absl::ResourceExhaustedError(
        absl::StrCat(resolved->name, ": ", resolved->problem.constraints(), " constraints need ",
                     program::Gigabytes(needed), "; there is ",
                     program::Gigabytes(static_cast<double>(*available))));
  }
  return resolved;
}

}  // namespace sdpa
