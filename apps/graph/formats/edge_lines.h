// Lines of which each holds an edge, parsed by several threads. Pure but for the threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/format.h"
#include "apps/graph/formats/chunks.h"
#include "apps/graph/formats/edges.h"
#include "apps/graph/formats/scanner.h"

namespace graph {

// All in one list, by several threads.
template <typename Id>
Edges<Id> Joined(std::vector<Edges<Id>> parts, int threads) {
  if (parts.size() == 1) return std::move(parts[0]);
  std::vector<std::size_t> first_edge = {0}, first_weight = {0};
  for (const Edges<Id>& part : parts) {
    first_edge.push_back(first_edge.back() + part.edges.size());
    first_weight.push_back(first_weight.back() + part.weights.size());
  }
  Edges<Id> all;
  all.edges.resize(first_edge.back());
  all.weights.resize(first_weight.back());
  for (const Edges<Id>& part : parts) all.drops_weights |= part.drops_weights;
  ForEachByThreads(parts.size(), threads, [&](std::size_t i) {
    std::copy(parts[i].edges.begin(), parts[i].edges.end(), all.edges.data() + first_edge[i]);
    std::copy(parts[i].weights.begin(), parts[i].weights.end(),
              all.weights.data() + first_weight[i]);
    parts[i] = {};
  });
  return all;
}

// Calls parse_line(scanner, edges) for each line that has a field and does not begin with a byte of
// `comments`. parse_line adds at most one edge, and returns a fault if `edges` already has `most`.
// A text with a fault, with more edges, or with weights of only some edges is parsed again by one
// thread, which finds the first faulty line.
template <typename Id, typename ParseLine>
absl::StatusOr<Edges<Id>> ParseEdgeLines(const Body& body, std::string_view comments, int threads,
                                         std::uint64_t most, const ParseLine& parse_line) {
  const auto parse = [&](std::size_t, Scanner& scanner, Edges<Id>& edges) {
    while (scanner.NextLineWithout(comments)) {
      if (absl::Status status = parse_line(scanner, edges); !status.ok()) return status;
    }
    return absl::OkStatus();
  };
  Pieces<Edges<Id>> pieces = ParsePieces<Edges<Id>>(body, threads, parse);
  if (pieces.ok()) {
    Edges<Id> all = Joined(std::move(pieces.found), threads);
    if (pieces.statuses.size() == 1) return all;
    if (all.edges.size() <= most && all.HasAllWeightsOrNone()) return all;
  }
  if (pieces.statuses.size() > 1) pieces = ParsePieces<Edges<Id>>(body, 1, parse);
  if (!pieces.statuses[0].ok()) return pieces.statuses[0];
  return std::move(pieces.found[0]);
}

// The weights that a line's parser adds to, or null; remembers that there are some.
template <typename Id>
std::vector<double>* WeightsOf(const ParseOptions& options, Edges<Id>& found) {
  if (options.keep_weights) return &found.weights;
  found.drops_weights = true;
  return nullptr;
}

// Moves edges and weights into the list.
inline void Take(Edges<Vertex> edges, EdgeList& list) {
  list.edges = std::move(edges.edges);
  list.weights = std::move(edges.weights);
  list.drops_weights = edges.drops_weights;
}

// Fault of a text that ends after fewer edges than it announces.
inline absl::Status TooFew(const Body& body, std::string_view noun, std::uint64_t found,
                           std::string_view announced) {
  Scanner scanner(body);
  while (scanner.NextLine()) {
  }
  std::string what = "the end of the file after ";
  what += noun;
  return scanner.Fault(what + " " + std::to_string(found), announced);
}

}  // namespace graph
