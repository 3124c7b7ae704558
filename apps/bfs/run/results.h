// Reports of searches: JSON rows, a table, and what Graph500 prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/bfs/measure/measure.h"
#include "apps/bfs/measure/variant.h"
#include "apps/bfs/problem/answer.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/graph/ids.h"
#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "topo/topo.h"

namespace bfs {

// A value: the searches of all keys by one mapping.
struct Row {
  std::string graph;
  const graph::Ids* ids = nullptr;  // of its vertices; they outlive the row
  std::optional<int> scale;         // of a generated graph
  std::uint64_t vertices = 0;
  std::uint64_t tuples = 0;
  Ways ways = Ways::kUndirected;
  std::uint64_t adjacency_bytes = 0;
  double generation_seconds = 0;  // of all tuples, once; of a file, its reading
  double construction_seconds = 0;
  Variant variant = Variant::kFast;
  Labels labels = Labels::kOriginal;
  topo::Policy policy = topo::Policy::kNone;
  bool binds = true;
  int threads = 1;
  std::int64_t max_rss_bytes = 0;
  std::vector<Searched> searched;  // at least one
};

// A row of results for --json. "searches" has an object for each key:
//
//   {"root":…,"seconds":…,"validation_seconds":…,"depth":…,"reached":…,"tuples":…,"levels":[
//     {"direction":"top-down","frontier":…,"seconds":…},…]}
//
// A level's frontier counts vertices of the core, as Step does. "levels_left_out" says how many
// levels a search has behind the last that is listed, where there are any.
program::Json ToJson(const Row& row);

// TEPS by policy and threads: [ULIBC14] figure 9.
std::string ToSvg(const std::vector<Row>& rows);

// A line a row.
std::string ToTable(const std::vector<Row>& rows, program::Color color);

// How arcs are searched, the levels of the row's first search, and Graph500's lines
// (graph500_text.h).
std::string ToText(const Row& row, program::Color color);

}  // namespace bfs
