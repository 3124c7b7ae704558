#include "apps/bfs/measure/variant.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "apps/bfs/hubs/hub_graph.h"
#include "apps/bfs/plain/plain_search.h"
#include "apps/bfs/problem/neighbors.h"

namespace bfs {
namespace {

using graph::Vertex;
using Done = std::function<void(const Answer&)>;

}  // namespace

absl::StatusOr<std::vector<Variant>> ParseVariants(std::string_view text) {
  std::vector<Variant> variants;
  for (const auto part : absl::StrSplit(std::string(text), ',')) {
    const std::string word(part);
    const auto variant = kVariants.Parse("--variant", word);
    if (!variant.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--variant: '", word, "' is neither fast nor plain"));
    }
    if (std::find(variants.begin(), variants.end(), *variant) == variants.end()) {
      variants.push_back(*variant);
    }
  }
  return variants;
}

Forecast ForecastOf(Variant variant, const Sizes& sizes) {
  return variant == Variant::kFast ? ForecastOf(sizes) : ForecastOfPlain(sizes);
}

absl::StatusOr<Built> Build(Variant variant, const topo::Topology& topology,
                            const topo::Mapping& mapping, const Tuples& tuples) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (variant == Variant::kPlain) {
    const Neighbors neighbors = tuples.Build();
    const Searcher searcher = [&topology, &mapping, neighbors](std::span<const Vertex> keys,
                                                               const Done& done) {
      return SearchAll(topology, mapping, neighbors, keys, HybridOptions{}, done);
    };
    return Built{
        .searcher = [searcher](const SearchOptions&) { return searcher; },
        .leads_on = [neighbors](Vertex vertex) { return neighbors.out().degree(vertex) > 0; },
        .adjacency_bytes = neighbors.bytes(),
        .construction_seconds = seconds()};
  }
  absl::StatusOr<HubGraph> made = HubGraph::Build(topology, mapping, tuples);
  if (!made.ok()) return made.status();
  const auto graph = std::make_shared<const HubGraph>(*std::move(made));
  return Built{.searcher = [&topology, &mapping, graph](const SearchOptions& options) -> Searcher {
                 return [&topology, &mapping, graph, options](std::span<const Vertex> keys,
                                                              const Done& done) {
                   return SearchAll(topology, mapping, *graph, keys, options, done);
                 };
               },
               .leads_on = [graph](Vertex vertex) { return graph->leads_on(vertex); },
               .adjacency_bytes = graph->adjacency_bytes(),
               .construction_seconds = seconds()};
}

}  // namespace bfs
