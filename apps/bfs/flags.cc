#include "apps/bfs/flags.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "apps/program/flags.h"

namespace bfs {

void AddFlags(CLI::App& app, Flags& flags) {
  auto* const scale = app.add_option("--scale", flags.kronecker.scale,
                                     "a graph of Graph500 with 2^scale vertices (default 16)");
  app.add_option("--edge-factor", flags.kronecker.edge_factor, "its tuples a vertex (default 16)");
  app.add_option("--seed", flags.kronecker.seed, "of its edges, and of the keys (default 1)");
  app.add_option("--graph", flags.graph, "a file instead of a generated graph")->excludes(scale);
  app.add_option("--format", flags.format, "of the file: apps/graph/README.md (default: guessed)");
  app.add_option("--keys", flags.keys, "searches (default 64)")->check(CLI::Range(1, 1 << 20));
  app.add_option("--policy", flags.policy,
                 "none, scatter, compact, compact+, several with commas, or all "
                 "(default scatter)");
  app.add_option("--threads", flags.threads,
                 "a count, several with commas, or all: 1, 2, 4, ... and every allowed PU "
                 "(default: what the machine does at once)");
  app.add_option("--topology", flags.topology,
                 "a described machine, whose threads run unbound on this one");
  app.add_option("--json", flags.json, "write the results to this file, - for standard output");
}

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  absl::StatusOr<topo::Topology> topology = topo::FromFlag(flags.topology);
  if (!topology.ok()) return topology.status();
  const auto policies = program::ParsePolicies(flags.policy);
  if (!policies.ok()) return policies.status();
  const auto threads =
      program::ParseThreads(flags.threads, *topology, program::Oversubscribe::kRefuse);
  if (!threads.ok()) return threads.status();
  std::vector<topo::Mapping> mappings;
  for (const topo::Policy policy : *policies) {
    for (const int count : *threads) {
      const absl::StatusOr<topo::Mapping> mapping = topo::Plan(*topology, policy, count);
      if (!mapping.ok()) return mapping.status();
      mappings.push_back(topology->this_machine() ? *mapping : mapping->Unbound());
    }
  }
  absl::StatusOr<Tuples> tuples = flags.graph.empty() ? Tuples::Generated(flags.kronecker)
                                                      : Tuples::OfFile(flags.graph, flags.format);
  if (!tuples.ok()) return tuples.status();
  return Resolved{*topology, std::move(mappings), *std::move(tuples)};
}

}  // namespace bfs
