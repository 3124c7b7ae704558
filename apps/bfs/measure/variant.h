// The searches that a run may compare, each with the graph that it searches.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/fast/search.h"
#include "apps/bfs/measure/forecast.h"
#include "apps/bfs/measure/measure.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/graph/edge_list.h"
#include "apps/program/words.h"
#include "topo/topo.h"

namespace bfs {

enum class Variant {
  kFast,   // search.h
  kPlain,  // plain_search.h
};
inline constexpr program::Words<Variant> kVariants = {{Variant::kFast, "fast"},
                                                      {Variant::kPlain, "plain"}};
constexpr std::string_view ToString(Variant variant) { return kVariants.Print(variant); }

// "fast", "plain", or both with a comma; each once. InvalidArgument names the word that is neither.
absl::StatusOr<std::vector<Variant>> ParseVariants(std::string_view text);

Forecast ForecastOf(Variant variant, const Sizes& sizes);

// A value: a graph that was built, and what searches it.
struct Built {
  // A searcher with these options, of which the plain search has none. It keeps the graph, and
  // refers to the topology and the mapping.
  std::function<Searcher(const SearchOptions&)> searcher;
  // Whether an edge leads from the vertex to another vertex. Keeps the graph.
  std::function<bool(graph::Vertex)> leads_on;
  std::uint64_t adjacency_bytes = 0;
  double construction_seconds = 0;
};

// Builds for the threads of the mapping; both must outlive what is built. Errors:
// HubGraph::Build's.
absl::StatusOr<Built> Build(Variant variant, const topo::Topology& topology,
                            const topo::Mapping& mapping, const Tuples& tuples);

}  // namespace bfs
