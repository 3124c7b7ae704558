// Breadth-first search as Graph500 measures it, on a generated graph or on a file's.
//
// Source: [ULIBC14] section 4.1.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <ostream>
#include <utility>

#include "apps/bfs/flags.h"
#include "apps/bfs/keys.h"
#include "apps/bfs/measure.h"
#include "apps/bfs/results.h"
#include "apps/bfs/validation.h"
#include "apps/bfs/variant.h"
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
  auto outputs = program::Outputs::Open(
      {{"--json", flags.json}, {"--svg", flags.svg}, {"--output", flags.output}});
  if (!outputs.ok()) return outputs.status();
  std::ostream& out = outputs->text();
  program::Record record("bfs", "0.1.0",
                         program::DescribeMachine(resolved->topology, program::Commit()));
  record.parameters() = {
      {"command", command}, {"seed", flags.kronecker.seed}, {"keys", flags.keys}};

  std::vector<bfs::Row> rows;
  std::string tree;  // the first search's answer
  {
    program::Progress progress;
    const auto show = [&](const std::string& line) { progress.Show("bfs: " + line); };
    std::vector<graph::Vertex> keys = resolved->roots;
    for (const bfs::Variant variant : resolved->variants) {
      for (const topo::Mapping& mapping : resolved->mappings) {
        for (const bfs::Labels labels : resolved->labels) {
          if (variant == bfs::Variant::kPlain && labels == bfs::Labels::kInternal) continue;
          show("building");
          const auto built = bfs::Build(variant, resolved->topology, mapping, tuples,
                                        {.direction = resolved->direction, .labels = labels});
          if (!built.ok()) return built.status();
          if (keys.empty()) {
            keys = bfs::ChooseKeys(tuples.vertices(), flags.keys, flags.kronecker.seed,
                                   built->has_edges);
          }
          if (keys.empty()) {
            return absl::InvalidArgumentError(tuples.name() + ": no vertex has an edge");
          }
          bfs::Witness witness;
          if (!flags.output.empty() && rows.empty()) {
            witness = [&](const bfs::Validation& answer) {
              if (tree.empty()) tree = bfs::TreeOf(answer, tuples.vertices());
            };
          }
          auto searched = bfs::SearchAndValidate(resolved->topology, mapping, tuples, keys,
                                                 built->searcher, show, witness);
          if (!searched.ok()) return searched.status();
          rows.push_back({.graph = tuples.name(),
                          .scale = tuples.scale(),
                          .vertices = tuples.vertices(),
                          .tuples = tuples.count(),
                          .adjacency_bytes = built->adjacency_bytes,
                          .construction_seconds = built->construction_seconds,
                          .variant = variant,
                          .labels = labels,
                          .policy = mapping.policy(),
                          .binds = mapping.binds() || mapping.policy() == topo::Policy::kNone,
                          .threads = mapping.size(),
                          .max_rss_bytes = MaxRssBytes(),
                          .searched = *std::move(searched)});
          record.AddResult(ToJson(rows.back()));
        }
      }
    }
  }
  out << ToText(rows.front(), outputs->color()) << "\n" << ToTable(rows, outputs->color());
  absl::Status status = outputs->Commit("--json", [&] { return record.ToText(); });
  status.Update(outputs->Commit("--svg", [&] { return ToSvg(rows); }));
  status.Update(outputs->Commit("--output", [&] { return tree; }));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Breadth-first search as Graph500 measures it.", "bfs");
  bfs::Flags flags;
  bfs::AddFlags(app, flags);
  return program::Run(app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/bfs", argc, argv)); });
}
