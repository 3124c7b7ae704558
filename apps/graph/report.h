// A line about a file that was read, so that a person sees how. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "apps/graph/edge_list.h"
#include "apps/graph/format.h"

namespace graph {

enum class Weights {
  kNone,     // the file has none
  kKept,     // EdgeList::weights
  kDropped,  // nobody asked for them
};

// A value.
struct Report {
  std::string file;
  std::string compression;  // the program that unpacked it, or nothing
  Format format = Format::kEdgeList;
  bool is_format_guessed = false;
  std::uint64_t vertices = 0;
  std::uint64_t left_vertices = 0;  // as EdgeList has them
  std::uint64_t edges = 0;          // as listed, loops and repeated ones among them
  EdgeCounts counts;
  Direction direction = Direction::kUndirected;
  bool may_be_arcs = false;  // the format does not say directions, and the edges have none
  Weights weights = Weights::kNone;
  bool has_renamed_ids = false;  // ids have gaps; vertices are numbered in their order
  std::uint64_t first_id = 0;
  std::uint64_t last_id = 0;
};

// "roads.gr.gz: dimacs-gr (guessed), unpacked by gzip; 4 vertices, 3 arcs, no self-loop, 1
// repeated; weights dropped; ids 1 to 4". One line without an end.
std::string ToText(const Report& report);

}  // namespace graph
