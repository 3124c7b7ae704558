#include "apps/bfs/run/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/bfs/measure/forecast.h"
#include "apps/graph/graph500_generator.h"
#include "apps/graph/kronecker.h"
#include "apps/program/bytes.h"
#include "apps/program/decimal.h"
#include "apps/program/flags.h"
#include "apps/program/memory.h"

namespace bfs {

void AddFlags(CLI::App& app, Flags& flags) {
  auto* const scale = app.add_option("--scale", flags.scale,
                                     "a graph of Graph500 with 2^scale vertices (default 16)");
  app.add_option("--edge-factor", flags.edge_factor, "its tuples a vertex (default 16)");
  auto* const generator =
      app.add_option("--generator", flags.generator,
                     "vicinity, or graph500: edges and keys of Graph500's reference code "
                     "(default vicinity)")
          ->check(CLI::IsMember({"vicinity", "graph500"}));
  app.add_option("--seed", flags.seed, "of vicinity's edges, and of the keys (default 1)");
  app.add_option("--seed1", flags.seed1, "of graph500's edges and keys (default 2)")
      ->needs(generator);
  app.add_option("--seed2", flags.seed2, "of graph500's edges and keys (default 3)")
      ->needs(generator);
  graph::AddReadFlags(app, flags.read)->excludes(scale)->excludes(generator);
  app.add_option(
      "--save", flags.save,
      "write the graph to this file, which --graph then maps instead of parsing it (.sg, "
      "as gapbs has it)");
  app.add_option("--keys", flags.keys, "searches (default 64)")->check(CLI::Range(1, 1 << 20));
  program::AddPolicyFlag(app, flags.policy, " (default scatter)");
  program::AddThreadsFlag(app, flags.threads);
  program::AddTopologyFlag(app, flags.topology);
  app.add_option("--variant", flags.variant, "fast, plain, or fast,plain (default fast)");
  app.add_option("--labels", flags.labels,
                 "ids of the timed answer: original, as Graph500 wants it, internal, which leaves "
                 "out the translation, or original,internal (default original)");
  app.add_option("--alpha", flags.direction.alpha,
                 "bottom-up once the frontier has 1/alpha of the edges that are left (default 15)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  app.add_option("--beta", flags.direction.beta,
                 "top-down once it has less than 1/beta of the vertices that are left (default 4)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  app.add_option(
         "--root", flags.roots,
         "search from these vertices instead of keys, by their ids in the file, from 0 in a "
         "generated graph")
      ->delimiter(',')
      ->transform(program::Decimal());
  app.add_option("--memory-limit", flags.memory_limit,
                 "refuse what may take more, as 6GiB (default: what the machine has available)");
  app.add_option("--output", flags.output,
                 "write vertex, parent and depth of the first search to this file; with several "
                 "vertices in --root, parent and depth of each search");
  program::AddOutputFlags(app, flags.json, flags.svg,
                          "draw TEPS by policy and threads to this file");
}

namespace {

constexpr std::uint64_t kSeed = 1;

absl::StatusOr<std::vector<Labels>> ParseLabels(const std::string& text) {
  if (text == "original") return std::vector{Labels::kOriginal};
  if (text == "internal") return std::vector{Labels::kInternal};
  if (text == "original,internal") return std::vector{Labels::kOriginal, Labels::kInternal};
  return absl::InvalidArgumentError("--labels: '" + text +
                                    "' is not original, internal or original,internal");
}

absl::StatusOr<Tuples> TuplesOfFile(const graph::ReadFlags& flags,
                                    const std::optional<Limit>& limit,
                                    std::optional<graph::Report>& report) {
  auto options = graph::OptionsOf(flags);
  if (!options.ok()) return options.status();
  if (limit) options->most_bytes = limit->bytes;
  // The search follows arcs both ways; the tuples stay as the file has them.
  if (flags.symmetrize) options->parse.direction.reset();
  absl::StatusOr<graph::MappedGraph> mapped = graph::Map(flags.graph, *options);
  if (!mapped.ok()) return mapped.status();
  absl::StatusOr<graph::ReadGraph> read = graph::ReadGraph();
  if (mapped->edges == nullptr) read = graph::Read(flags.graph, *options);
  if (!read.ok()) return read.status();
  report = std::move(mapped->edges == nullptr ? read->report : mapped->report);
  graph::Show("bfs", *report);
  if (report->vertices == 0) {
    return absl::InvalidArgumentError(flags.graph + ": the graph has no vertices");
  }
  if (mapped->edges != nullptr) return Tuples::Mapped(report->file, std::move(mapped->edges));
  return Tuples::Listed(report->file, std::move(read->list));
}

absl::StatusOr<Tuples> TuplesOf(const Flags& flags, const std::optional<Limit>& limit,
                                std::optional<graph::Report>& report) {
  if (!flags.read.graph.empty()) return TuplesOfFile(flags.read, limit, report);
  if (flags.generator == "vicinity") {
    if (flags.seed1 || flags.seed2) {
      return absl::InvalidArgumentError("--seed1, --seed2: --generator=vicinity has --seed");
    }
    return Tuples::Generated(graph::Kronecker{.scale = flags.scale,
                                              .edge_factor = flags.edge_factor,
                                              .seed = flags.seed.value_or(kSeed)});
  }
  if (flags.seed) {
    return absl::InvalidArgumentError("--seed: --generator=graph500 has --seed1 and --seed2");
  }
  graph::Graph500 reference = {.scale = flags.scale, .edge_factor = flags.edge_factor};
  reference.seed1 = flags.seed1.value_or(reference.seed1);
  reference.seed2 = flags.seed2.value_or(reference.seed2);
  return Tuples::Generated(reference);
}

// --memory-limit, or what the machine has available; none: it is not known.
absl::StatusOr<std::optional<Limit>> LimitOf(const Flags& flags) {
  if (flags.memory_limit.empty()) {
    const std::optional<std::uint64_t> available = program::AvailableBytes();
    return available ? std::optional(Limit{*available, "this machine"}) : std::nullopt;
  }
  const absl::StatusOr<std::uint64_t> bytes = program::ParseBytes(flags.memory_limit);
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--memory-limit: ", bytes.status().message()));
  }
  return Limit{*bytes, "--memory-limit"};
}

// What is bound to a node cannot go elsewhere: the share that lies on each must fit there.
absl::Status CheckNodes(const topo::Topology& topology, const topo::Mapping& mapping,
                        const Forecast& forecast, const std::string& what) {
  std::map<topo::NodeId, int> shares;
  for (int index = 0; index < static_cast<int>(mapping.nodes().size()); ++index) {
    for (const topo::Slot& slot : mapping.slots()) {
      if (mapping.node_index(slot) != index || slot.memory == topo::kAnyNode) continue;
      ++shares[slot.memory];
      break;
    }
  }
  for (const auto& [node, share] : shares) {
    const int number = topology[node].os_index;
    const auto available = program::AvailableBytesOfNode(number);
    if (!available) continue;
    absl::Status status =
        CheckFits(forecast, {*available, absl::StrCat("NUMA node ", number)},
                  static_cast<double>(share) / static_cast<double>(mapping.nodes().size()), what);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(const std::optional<Limit>& limit, const Flags& flags,
                         const Resolved& resolved) {
  const auto roots = static_cast<int>(resolved.roots.size());
  for (const Variant variant : resolved.variants) {
    for (const topo::Mapping& mapping : resolved.mappings) {
      Forecast forecast = ForecastOf(
          variant, {.vertices = resolved.tuples.vertices(),
                    .tuples = resolved.tuples.count(),
                    .largest_id = resolved.tuples.ids().of(resolved.tuples.vertices() - 1),
                    .stored = resolved.tuples.stored(),
                    .directed = resolved.tuples.direction() == graph::Direction::kDirected,
                    .nodes = static_cast<int>(mapping.nodes().size()),
                    .keys = roots > 0 ? roots : flags.keys,
                    .translated = std::find(resolved.labels.begin(), resolved.labels.end(),
                                            Labels::kInternal) != resolved.labels.end(),
                    .written = flags.output.empty() ? 0 : std::max(1, roots)});
      // A file's tuples are in memory already, and so in what is not available any more.
      if (flags.memory_limit.empty()) forecast.tuples = 0;
      const std::string what =
          absl::StrCat(resolved.tuples.scale() ? absl::StrCat("--scale=", *resolved.tuples.scale())
                                               : resolved.tuples.name(),
                       " (", std::string(ToString(variant)), ")");
      absl::Status status;
      if (limit) status = CheckFits(forecast, *limit, 1, what);
      if (mapping.binds() && flags.memory_limit.empty()) {
        status.Update(CheckNodes(resolved.topology, mapping, forecast, what));
      }
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  absl::StatusOr<topo::Topology> topology = topo::FromFlag(flags.topology);
  if (!topology.ok()) return topology.status();
  auto mappings = program::PlanMappings(flags.policy, flags.threads, *topology);
  if (!mappings.ok()) return mappings.status();
  const auto variants = ParseVariants(flags.variant);
  if (!variants.ok()) return variants.status();
  const auto labels = ParseLabels(flags.labels);
  if (!labels.ok()) return labels.status();
  const auto limit = LimitOf(flags);
  if (!limit.ok()) return limit.status();
  const std::string& save = flags.save;
  if (!save.empty() && (save.size() < 3 || save.substr(save.size() - 3) != ".sg")) {
    return absl::InvalidArgumentError(
        "--save=" + save + ": expected a name that ends with .sg, by which --graph knows it");
  }
  const auto start = std::chrono::steady_clock::now();
  std::optional<graph::Report> report;
  absl::StatusOr<Tuples> tuples = TuplesOf(flags, *limit, report);
  if (!tuples.ok()) return tuples.status();
  if (flags.read.symmetrize) tuples->Symmetrize();
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  std::vector<graph::Vertex> roots;
  for (const std::uint64_t id : flags.roots) {
    const auto root = tuples->ids().Find(id, tuples->vertices());
    if (!root) {
      return absl::InvalidArgumentError(
          absl::StrCat("--root=", id, ": ", tuples->name(), " has no such vertex; its ids are ",
                       tuples->ids().first(), " to ", tuples->ids().of(tuples->vertices() - 1)));
    }
    roots.push_back(static_cast<graph::Vertex>(*root));
  }
  Resolved resolved = {.topology = *topology,
                       .mappings = *std::move(mappings),
                       .variants = *variants,
                       .labels = *labels,
                       .direction = flags.direction,
                       .roots = std::move(roots),
                       .seed = flags.seed.value_or(kSeed),
                       .tuples = *std::move(tuples),
                       .reading_seconds = reading.count(),
                       .report = std::move(report)};
  if (absl::Status status = CheckMemory(*limit, flags, resolved); !status.ok()) return status;
  return resolved;
}

}  // namespace bfs
