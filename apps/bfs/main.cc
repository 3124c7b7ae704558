// Breadth-first search as Graph500 measures it, on a generated graph or on a file's.
//
// Source: [ULIBC14] section 4.1.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ostream>
#include <utility>

#include "apps/bfs/flags.h"
#include "apps/bfs/keys.h"
#include "apps/bfs/measure.h"
#include "apps/bfs/results.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"

namespace {

std::int64_t MaxRssBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

absl::Status Main(const bfs::Flags& flags, const std::string& command) {
  const auto resolved = bfs::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  const bfs::Tuples& tuples = resolved->tuples;
  auto outputs = program::Outputs::Open({{"--json", flags.json}});
  if (!outputs.ok()) return outputs.status();
  std::ostream& out = outputs->text();
  program::Record record("bfs", "0.1.0",
                         program::DescribeMachine(resolved->topology, program::Commit()));
  record.parameters() = {
      {"command", command}, {"seed", flags.kronecker.seed}, {"keys", flags.keys}};

  std::vector<bfs::Row> rows;
  {
    program::Progress progress;
    const auto show = [&](const std::string& line) { progress.Show("bfs: " + line); };
    show("building");
    const auto start = std::chrono::steady_clock::now();
    const graph::Csr csr = tuples.Build();
    const std::chrono::duration<double> construction = std::chrono::steady_clock::now() - start;
    const std::vector<graph::Vertex> keys =
        bfs::ChooseKeys(tuples.vertices(), flags.keys, flags.kronecker.seed,
                        [&](graph::Vertex vertex) { return csr.degree(vertex) > 0; });
    if (keys.empty()) return absl::InvalidArgumentError(tuples.name() + ": no vertex has an edge");
    for (const topo::Mapping& mapping : resolved->mappings) {
      auto searched = bfs::SearchAndValidate(resolved->topology, mapping, tuples, csr, keys, show);
      if (!searched.ok()) return searched.status();
      rows.push_back({.graph = tuples.name(),
                      .scale = tuples.scale(),
                      .vertices = tuples.vertices(),
                      .tuples = tuples.count(),
                      .adjacency_bytes = csr.offsets.size() * sizeof(csr.offsets[0]) +
                                         csr.neighbors.size() * sizeof(csr.neighbors[0]),
                      .construction_seconds = construction.count(),
                      .policy = mapping.policy(),
                      .binds = mapping.binds() || mapping.policy() == topo::Policy::kNone,
                      .threads = mapping.size(),
                      .max_rss_bytes = MaxRssBytes(),
                      .searched = *std::move(searched)});
      record.AddResult(ToJson(rows.back()));
    }
  }
  out << ToText(rows.front(), outputs->color()) << "\n" << ToTable(rows, outputs->color());
  return outputs->Commit("--json", [&] { return record.ToText(); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Breadth-first search as Graph500 measures it.", "bfs");
  bfs::Flags flags;
  bfs::AddFlags(app, flags);
  return program::Run(app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/bfs", argc, argv)); });
}
