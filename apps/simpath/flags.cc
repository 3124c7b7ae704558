#include "apps/simpath/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "apps/graph/formats.h"
#include "apps/graph/read.h"
#include "apps/program/flags.h"
#include "apps/program/memory.h"

namespace simpath {

void AddFlags(CLI::App& app, Flags& flags) {
  auto* const grid =
      app.add_option("--grid", flags.grid,
                     "a square of n x n cells, from corner to opposite corner (default 8)")
          ->check(CLI::Range(1, 28));
  app.add_option("--graph", flags.graph, "a file instead of a grid")->excludes(grid);
  app.add_option("--format", flags.format, "of the file: apps/graph/README.md (default: guessed)");
  app.add_option("--source", flags.source, "where paths begin: a vertex, counted from 0");
  app.add_option("--target", flags.target, "where they end");
  app.add_option("--mode", flags.mode,
                 "sequential, array, which is for grids, or both with a comma (default: array for "
                 "grids, else sequential)");
  app.add_option("--policy", flags.policy,
                 "of array's threads: none, scatter, compact, compact+, several with commas, or "
                 "all (default compact)");
  app.add_option("--threads", flags.threads,
                 "of array: a count, several with commas, or all: 1, 2, 4, ... and every allowed "
                 "PU (default: what the machine does at once)");
  app.add_option("--topology", flags.topology,
                 "a described machine, whose threads run unbound on this one");
  app.add_option("--memory-limit", flags.memory_limit,
                 "refuse what takes more, as 6GiB (default: what the machine has available)");
  app.add_option("--json", flags.json, "write the results to this file, - for standard output");
}

namespace {

absl::StatusOr<std::vector<Mode>> ParseModes(const Flags& flags) {
  const bool is_grid = flags.graph.empty() && !flags.source && !flags.target;
  if (flags.mode.empty()) return std::vector{is_grid ? Mode::kArray : Mode::kSequential};
  std::vector<Mode> modes;
  for (const auto part : absl::StrSplit(flags.mode, ',')) {
    const std::string word(part);
    const Mode mode = word == "array" ? Mode::kArray : Mode::kSequential;
    if (word != ToString(mode)) {
      return absl::InvalidArgumentError("--mode: '" + word + "' is neither sequential nor array");
    }
    if (mode == Mode::kArray && !is_grid) {
      return absl::InvalidArgumentError(
          "--mode=array counts between opposite corners of a grid (--grid)");
    }
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) modes.push_back(mode);
  }
  return modes;
}

absl::StatusOr<graph::EdgeList> ReadGraph(const Flags& flags) {
  if (flags.graph.empty()) return Grid(flags.grid);
  std::optional<graph::Format> format;
  if (!flags.format.empty()) {
    const absl::StatusOr<graph::Format> parsed = graph::ParseFormat(flags.format);
    if (!parsed.ok()) return parsed.status();
    format = *parsed;
  }
  return graph::Read(flags.graph, {.format = format, .parse = {}});
}

// The flags say it, or a file's only pair of terminals does.
absl::StatusOr<Problem> ProblemOf(const Flags& flags, const graph::EdgeList& list) {
  if (list.max_length) {
    return absl::UnimplementedError(flags.graph + ": paths of a bounded length are not counted");
  }
  std::uint64_t source = 0, target = list.vertices - 1;
  if (!flags.graph.empty()) {
    const bool has_pair = list.terminals.size() == 1;
    if (!has_pair && (!flags.source || !flags.target)) {
      return absl::InvalidArgumentError(flags.graph +
                                        ": --source and --target say between which vertices paths "
                                        "are counted");
    }
    if (has_pair) {
      source = list.terminals[0].from;
      target = list.terminals[0].to;
    }
  }
  absl::StatusOr<Problem> problem =
      MakeProblem(list, flags.source.value_or(source), flags.target.value_or(target));
  if (!problem.ok() && !flags.graph.empty()) {
    return absl::Status(problem.status().code(),
                        absl::StrCat(flags.graph, ": ", problem.status().message()));
  }
  return problem;
}

}  // namespace

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  absl::StatusOr<topo::Topology> topology = topo::FromFlag(flags.topology);
  if (!topology.ok()) return topology.status();
  auto mappings = program::PlanMappings(flags.policy, flags.threads, *topology);
  if (!mappings.ok()) return mappings.status();
  const auto modes = ParseModes(flags);
  if (!modes.ok()) return modes.status();
  std::optional<std::uint64_t> limit = program::AvailableBytes();
  if (!flags.memory_limit.empty()) {
    const absl::StatusOr<std::uint64_t> bytes = program::ParseBytes(flags.memory_limit);
    if (!bytes.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--memory-limit: ", bytes.status().message()));
    }
    limit = *bytes;
  }
  const absl::StatusOr<graph::EdgeList> list = ReadGraph(flags);
  if (!list.ok()) return list.status();
  absl::StatusOr<Problem> problem = ProblemOf(flags, *list);
  if (!problem.ok()) return problem.status();
  const bool is_grid = flags.graph.empty();
  return Resolved{*topology,
                  *std::move(mappings),
                  *modes,
                  is_grid ? absl::StrCat("grid ", flags.grid, "x", flags.grid) : flags.graph,
                  is_grid ? std::optional(flags.grid) : std::nullopt,
                  *std::move(problem),
                  limit};
}

}  // namespace simpath
