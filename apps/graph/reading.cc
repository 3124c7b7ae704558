#include "apps/graph/reading.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"

namespace graph {

CLI::Option* AddReadFlags(CLI::App& app, ReadFlags& flags) {
  auto* const graph = app.add_option(
      "--graph", flags.graph,
      "a file instead, perhaps compressed or in a tar archive; - for standard input");
  app.add_option("--format", flags.format,
                 "of the file: edge-list, matrix-market, ... (apps/graph/README.md; default: "
                 "guessed, and said)")
      ->needs(graph);
  app.add_option("--ids", flags.ids,
                 "of a file without a number of vertices: from-0, from-1, compact (only those that "
                 "occur), or guess (default)")
      ->needs(graph);
  auto* const directed =
      app.add_flag("--directed", flags.directed,
                   "edges of a file that says no direction are arcs from the first vertex to the "
                   "second")
          ->needs(graph);
  app.add_flag("--symmetrize", flags.symmetrize, "arcs of the file are edges without direction")
      ->needs(graph)
      ->excludes(directed);
  return graph;
}

absl::StatusOr<ReadOptions> OptionsOf(const ReadFlags& flags) {
  ReadOptions options;
  if (!flags.format.empty()) {
    const absl::StatusOr<Format> format = ParseFormat(flags.format);
    if (!format.ok()) {
      return absl::InvalidArgumentError("--format: " + std::string(format.status().message()));
    }
    options.format = *format;
  }
  constexpr std::pair<const char*, IdRule> kRules[] = {{"", IdRule::kGuess},
                                                       {"guess", IdRule::kGuess},
                                                       {"from-0", IdRule::kFromZero},
                                                       {"from-1", IdRule::kFromOne},
                                                       {"compact", IdRule::kCompact}};
  bool is_rule = false;
  for (const auto& [word, rule] : kRules) {
    if (flags.ids != word) continue;
    options.parse.ids = rule;
    is_rule = true;
  }
  if (!is_rule) {
    return absl::InvalidArgumentError("--ids: '" + flags.ids +
                                      "' is none of from-0, from-1, compact and guess");
  }
  if (flags.directed) options.parse.direction = Direction::kDirected;
  if (flags.symmetrize) options.parse.direction = Direction::kUndirected;
  return options;
}

void Show(const std::string& program, const Report& report) {
  std::cerr << program << ": " << ToText(report) << std::endl;
}

nlohmann::ordered_json ToJson(const Report& report) {
  nlohmann::ordered_json json = {{"file", report.file},
                                 {"format", FormatName(report.format)},
                                 {"format_guessed", report.is_format_guessed},
                                 {"vertices", report.vertices},
                                 {"edges", report.edges},
                                 {"self_loops", report.counts.self_loops},
                                 {"repeated", report.counts.repeated},
                                 {"directed", report.direction == Direction::kDirected},
                                 {"weights", report.weights == Weights::kNone   ? "none"
                                             : report.weights == Weights::kKept ? "kept"
                                                                                : "dropped"},
                                 {"first_id", report.first_id},
                                 {"last_id", report.last_id},
                                 {"ids_renamed", report.has_renamed_ids}};
  if (!report.compression.empty()) json["compression"] = report.compression;
  if (report.left_vertices > 0) json["left_vertices"] = report.left_vertices;
  return json;
}

}  // namespace graph
