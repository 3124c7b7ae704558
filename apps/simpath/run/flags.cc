#include "apps/simpath/run/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/read.h"
#include "apps/program/bytes.h"
#include "apps/program/decimal.h"
#include "apps/program/flags.h"
#include "apps/program/memory.h"
#include "apps/simpath/problem/lengths.h"

namespace simpath {

void AddFlags(CLI::App& app, Flags& flags) {
  auto* const grid = app.add_option("--grid", flags.grid,
                                    "a square of n x n cells, from corner to opposite corner, or "
                                    "several with commas (default 8)");
  graph::AddReadFlags(app, flags.read)->excludes(grid);
  app.add_option("--source", flags.source,
                 "where paths begin: a vertex by its id in the file, or of a grid from 0")
      ->transform(program::Decimal());
  app.add_option("--target", flags.target, "where they end")->transform(program::Decimal());
  app.add_option("--rule", flags.rule,
                 "paths, cycles, hamiltonian-paths or hamiltonian-cycles (default paths)");
  app.add_flag("--all-pairs", flags.all_pairs,
               "paths between any two different vertices, each path once (default: where a file "
               "of ICGCA names no terminals)");
  app.add_option("--max-length", flags.max_length,
                 "only paths or cycles of at most so many edges (default: what a file of ICGCA "
                 "says, else any)")
      ->transform(program::Decimal());
  app.add_option("--mode", flags.mode,
                 "array, which is for grids, partition, eba, sequential, or several with commas "
                 "(default: array for grids, partition for files and with --order or --unreduced)");
  app.add_option("--order", flags.order,
                 "in which edges are decided: input, breadth-first or best (default: input for "
                 "grids, which is row by row, else best)");
  app.add_flag("--unreduced", flags.unreduced,
               "count the graph as it is: no blocks, chains and sides of two vertices apart");
  app.add_flag("--no-check", flags.no_check,
               "leave out the residue that shows whether a count is what was summed up");
  program::AddPolicyFlag(app, flags.policy,
                         " (default: compact, and none on a machine of one NUMA node)");
  program::AddThreadsFlag(app, flags.threads);
  program::AddTopologyFlag(app, flags.topology);
  app.add_option("--memory-limit", flags.memory_limit,
                 "refuse what takes more, as 6GiB (default: what the machine has available)");
  app.add_flag("--forecast", flags.forecast,
               "the states, bytes and time of a count edge by edge, and about how many paths there "
               "are; no count");
  auto* const checkpoint = app.add_option("--checkpoint", flags.checkpoint,
                                          "a file from which a killed count goes on (--resume)");
  app.add_option("--checkpoint-seconds", flags.checkpoint_seconds,
                 "between writing it (default 60)")
      ->check(CLI::Range(0, 1 << 30))
      ->needs(checkpoint);
  app.add_flag("--resume", flags.resume, "go on from the checkpoint")->needs(checkpoint);
  app.add_option("--dot", flags.dot,
                 "draw all paths of a small graph as a reduced ZDD to this file, for Graphviz");
  auto* const paths = app.add_option(
      "--paths", flags.paths,
      "write paths of a small graph, each drawn as likely as any other, to this file");
  app.add_option("--samples", flags.samples, "how many of them (default 10)")
      ->check(CLI::Range(1, 1 << 30))
      ->needs(paths);
  app.add_option("--seed", flags.seed, "of random paths (default 1)");
  app.add_flag("--number-only", flags.number_only,
               "print the number and nothing else, as ICGCA asks of a solver");
  program::AddOutputFlags(app, flags.json, flags.svg,
                          "draw seconds by threads, or by grids, to this file");
}

namespace {

absl::StatusOr<std::vector<int>> ParseGrids(const std::string& text) {
  std::vector<int> grids;
  for (const auto part : absl::StrSplit(text.empty() ? "8" : text, ',')) {
    int cells = 0;
    if (!absl::SimpleAtoi(part, &cells) || cells < 1 || cells > 28) {
      return absl::InvalidArgumentError(
          absl::StrCat("--grid: '", part, "' is no number of cells from 1 to 28"));
    }
    grids.push_back(cells);
  }
  return grids;
}

absl::StatusOr<Rule> ParseRule(const Flags& flags) {
  Rule rule;
  bool is_known = flags.rule.empty();
  for (const Shape shape : {Shape::kPaths, Shape::kCycles}) {
    for (const Visits visits : {Visits::kSomeVertices, Visits::kAllVertices}) {
      const Rule each = {.shape = shape, .visits = visits};
      if (flags.rule != NameOf(each)) continue;
      rule = each;
      is_known = true;
    }
  }
  if (!is_known) {
    return absl::InvalidArgumentError(
        "--rule: '" + flags.rule +
        "' is none of paths, cycles, hamiltonian-paths and hamiltonian-cycles");
  }
  const bool has_ends = flags.source || flags.target;
  if (rule.shape == Shape::kCycles && (flags.all_pairs || has_ends)) {
    return absl::InvalidArgumentError(
        "--rule: cycles have no ends, so no --source, --target and --all-pairs");
  }
  if (flags.all_pairs && has_ends) {
    return absl::InvalidArgumentError(
        "--all-pairs is of all ends of paths, --source and --target are of one pair");
  }
  if (flags.all_pairs) rule.ends = Ends::kAny;
  return rule;
}

// Whether arrays can count the grid.
bool HasArrays(const Flags& flags) {
  const bool is_plain =
      (flags.rule.empty() || flags.rule == NameOf(Rule{})) && !flags.all_pairs && !flags.max_length;
  return is_plain && flags.read.graph.empty() && !flags.source && !flags.target;
}

absl::StatusOr<std::vector<Mode>> ParseModes(const Flags& flags) {
  const bool has_arrays = HasArrays(flags);
  // Arrays have their own order, and nothing to reduce.
  const bool is_of_edges = !flags.order.empty() || flags.unreduced;
  if (flags.mode.empty()) {
    return std::vector{has_arrays && !is_of_edges ? Mode::kArray : Mode::kPartition};
  }
  std::vector<Mode> modes;
  for (const auto part : absl::StrSplit(flags.mode, ',')) {
    const std::string word(part);
    const auto mode = kModes.Parse("--mode", word);
    if (!mode.ok()) {
      return absl::InvalidArgumentError("--mode: '" + word +
                                        "' is none of array, partition, eba and sequential");
    }
    if (*mode == Mode::kArray && !has_arrays) {
      return absl::InvalidArgumentError(
          "--mode=array counts all paths between opposite corners of a grid (--grid)");
    }
    if (std::find(modes.begin(), modes.end(), *mode) == modes.end()) modes.push_back(*mode);
  }
  return modes;
}

absl::StatusOr<Order> ParseOrder(const Flags& flags) {
  if (flags.order.empty()) return flags.read.graph.empty() ? Order::kInput : Order::kBest;
  const auto order = kOrders.Parse("--order", flags.order);
  if (order.ok()) return order;
  return absl::InvalidArgumentError("--order: '" + flags.order +
                                    "' is none of input, breadth-first and best");
}

// A file is of one count.
absl::Status CheckCheckpoint(const Flags& flags, const Resolved& resolved) {
  if (flags.checkpoint.empty()) return absl::OkStatus();
  if (resolved.modes == std::vector{Mode::kEba}) {
    return absl::InvalidArgumentError(
        "--checkpoint: states are always on their way from thread to thread in the mode eba");
  }
  if (resolved.instances.size() * resolved.modes.size() * resolved.mappings.size() != 1) {
    return absl::InvalidArgumentError(
        "--checkpoint is of one count: one graph, mode, policy and number of threads");
  }
  return absl::OkStatus();
}

// The vertex of an id that a flag names.
absl::StatusOr<std::uint64_t> VertexOf(const char* flag, std::uint64_t id,
                                       const graph::EdgeList& list, const std::string& name) {
  if (const auto vertex = list.ids.Find(id, list.vertices)) return *vertex;
  if (list.vertices == 0) return absl::InvalidArgumentError(name + ": it has no vertices");
  return absl::InvalidArgumentError(
      absl::StrCat(flag, "=", id, ": ", name, " has no such vertex; its ids are ", list.ids.first(),
                   " to ", list.ids.of(list.vertices - 1)));
}

// A file of ICGCA without terminals asks for all pairs.
bool IsOfAllPairs(const Flags& flags, graph::Format format, const graph::EdgeList& list) {
  return format == graph::Format::kIcgca && list.terminals.empty() && !flags.source &&
         !flags.target;
}

// The flags say it, or a file's only pair of terminals does.
absl::StatusOr<Problem> ProblemOf(const Flags& flags, Rule rule, const graph::EdgeList& list,
                                  const std::string& name,
                                  graph::Format format = graph::Format::kEdgeList) {
  std::uint64_t source = 0, target = std::max<std::uint64_t>(list.vertices, 1) - 1;
  if (!flags.read.graph.empty() && rule.has_terminals()) {
    const bool has_pair = list.terminals.size() == 1;
    if (IsOfAllPairs(flags, format, list)) {
      rule.ends = Ends::kAny;
    } else if (!has_pair && (!flags.source || !flags.target)) {
      const std::string pairs =
          list.terminals.empty()
              ? ""
              : absl::StrCat(": it has ", list.terminals.size(), " pairs of terminals");
      return absl::InvalidArgumentError(absl::StrCat(
          name, pairs,
          ": --source and --target say between which vertices paths are counted, or --all-pairs"));
    }
    if (has_pair) {
      source = list.terminals[0].from;
      target = list.terminals[0].to;
    }
  }
  for (const auto& [flag, id, vertex] : {std::tuple("--source", flags.source, &source),
                                         std::tuple("--target", flags.target, &target)}) {
    if (!id) continue;
    const auto found = VertexOf(flag, *id, list, name);
    if (!found.ok()) return found.status();
    *vertex = *found;
  }
  absl::StatusOr<Problem> problem = MakeProblem(list, source, target, rule);
  if (!problem.ok()) {
    return absl::Status(problem.status().code(),
                        absl::StrCat(name, ": ", problem.status().message()));
  }
  problem->max_length = flags.max_length ? flags.max_length : list.max_length;
  const bool has_far_edges = problem->max_length && rule.has_terminals();
  return has_far_edges ? WithoutFarEdges(*problem, *problem->max_length) : problem;
}

absl::Status CheckOutputs(const Flags& flags, const Problem& problem) {
  const bool draws = !flags.dot.empty() || !flags.paths.empty();
  if (draws && (!(problem.rule == Rule{}) || problem.max_length)) {
    return absl::InvalidArgumentError(
        "--dot and --paths are of all undirected paths between two vertices");
  }
  if (flags.number_only && flags.forecast) {
    return absl::InvalidArgumentError("--forecast counts nothing: no --number-only");
  }
  return absl::OkStatus();
}

// With one NUMA node all memory is equally near, and a pinned thread waits when another program
// takes its PU.
std::string PolicyOf(const Flags& flags, const topo::Topology& topology) {
  if (!flags.policy.empty()) return flags.policy;
  return topology.nodes().size() == 1 ? "none" : "compact";
}

// --memory-limit, or what the machine has available, or the most.
absl::StatusOr<std::uint64_t> MemoryLimitOf(const Flags& flags) {
  if (flags.memory_limit.empty()) {
    return program::AvailableBytes().value_or(~std::uint64_t{0});
  }
  const absl::StatusOr<std::uint64_t> bytes = program::ParseBytes(flags.memory_limit);
  if (bytes.ok()) return bytes;
  return absl::InvalidArgumentError(absl::StrCat("--memory-limit: ", bytes.status().message()));
}

absl::Status AddGrids(const Flags& flags, const Rule& rule, Resolved& resolved) {
  const auto grids = ParseGrids(flags.grid);
  if (!grids.ok()) return grids.status();
  for (const int cells : *grids) {
    const std::string name = absl::StrCat("grid ", cells, "x", cells);
    auto problem = ProblemOf(flags, rule, Grid(cells), name);
    if (!problem.ok()) return problem.status();
    resolved.instances.push_back({name, cells, *std::move(problem)});
  }
  return absl::OkStatus();
}

absl::Status AddFile(const Flags& flags, const Rule& rule, Resolved& resolved) {
  const auto options = graph::OptionsOf(flags.read);
  if (!options.ok()) return options.status();
  absl::StatusOr<graph::ReadGraph> read = graph::Read(flags.read.graph, *options);
  if (!read.ok()) return read.status();
  graph::Show("simpath", read->report);
  auto problem = ProblemOf(flags, rule, read->list, read->report.file, read->report.format);
  if (!problem.ok()) return problem.status();
  resolved.instances.push_back(
      {read->report.file, std::nullopt, *std::move(problem), std::move(read->list.ids)});
  resolved.report = std::move(read->report);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  absl::StatusOr<topo::Topology> topology = topo::FromFlag(flags.topology);
  if (!topology.ok()) return topology.status();
  auto mappings = program::PlanMappings(PolicyOf(flags, *topology), flags.threads, *topology);
  if (!mappings.ok()) return mappings.status();
  const auto rule = ParseRule(flags);
  if (!rule.ok()) return rule.status();
  const auto modes = ParseModes(flags);
  if (!modes.ok()) return modes.status();
  const auto order = ParseOrder(flags);
  if (!order.ok()) return order.status();
  const auto memory_limit = MemoryLimitOf(flags);
  if (!memory_limit.ok()) return memory_limit.status();
  Resolved resolved{.topology = *std::move(topology),
                    .mappings = *std::move(mappings),
                    .modes = *modes,
                    .instances = {},
                    .order = *order,
                    .reducing = flags.unreduced ? Reducing::kOff : Reducing::kOn,
                    .are_corners = HasArrays(flags),
                    .seed = flags.seed,
                    .memory_limit = *memory_limit,
                    .checkpoint = {.file = flags.checkpoint,
                                   .every = std::chrono::seconds(flags.checkpoint_seconds),
                                   .resume = flags.resume},
                    .check = flags.no_check ? Check::kOff : Check::kOn};
  absl::Status status =
      flags.read.graph.empty() ? AddGrids(flags, *rule, resolved) : AddFile(flags, *rule, resolved);
  if (!status.ok()) return status;
  if (flags.forecast && !(flags.checkpoint.empty() && flags.svg.empty())) {
    return absl::InvalidArgumentError("--forecast counts nothing: no --checkpoint and no --svg");
  }
  status = CheckCheckpoint(flags, resolved);
  if (status.ok()) status = CheckOutputs(flags, resolved.instances.front().problem);
  if (!status.ok()) return status;
  return resolved;
}

}  // namespace simpath
