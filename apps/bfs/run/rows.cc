#include "apps/bfs/run/rows.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "apps/bfs/measure/measure.h"
#include "apps/bfs/measure/variant.h"
#include "apps/bfs/problem/keys.h"
#include "apps/bfs/validation/validation.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/graph500_generator.h"
#include "apps/program/memory.h"

namespace bfs {
namespace {

std::vector<graph::Vertex> KeysOf(const Resolved& resolved, const Flags& flags,
                                  const Built& built) {
  if (!resolved.roots.empty()) return resolved.roots;
  const auto choose = [&](const std::function<bool(graph::Vertex)>& may_be_key) {
    return ChooseKeys(resolved.tuples.vertices(), flags.keys, resolved.seed, may_be_key);
  };
  const auto& reference = resolved.tuples.reference();
  std::vector<graph::Vertex> keys =
      reference ? RootsOf(*reference, flags.keys, built.leads_on) : choose(built.leads_on);
  if (!keys.empty()) return keys;
  // A graph without edges: each vertex is a tree of its own.
  return choose([](graph::Vertex) { return true; });
}

std::vector<Labels> LabelsOf(Variant variant, const Resolved& resolved) {
  return variant == Variant::kPlain ? std::vector{Labels::kOriginal} : resolved.labels;
}

}  // namespace

absl::StatusOr<Rows> MeasureRows(const Resolved& resolved, const Flags& flags,
                                 const std::function<void(const std::string&)>& progress) {
  const Tuples& tuples = resolved.tuples;
  Rows all;
  const std::size_t wanted =
      flags.output.empty() ? 0 : std::max<std::size_t>(1, resolved.roots.size());
  const Witness keep = [&](const Validation& answers, std::size_t key) {
    if (all.trees.size() < wanted) all.trees.push_back(TreeOf(answers, key));
  };
  for (const Variant variant : resolved.variants) {
    for (const topo::Mapping& mapping : resolved.mappings) {
      progress("building");
      const auto built = Build(variant, resolved.topology, mapping, tuples);
      if (!built.ok()) return built.status();
      const std::vector<graph::Vertex> keys = KeysOf(resolved, flags, *built);
      double generation_seconds = resolved.reading_seconds;
      if (tuples.scale()) {
        const auto seconds = SecondsToRead(resolved.topology, mapping, tuples);
        if (!seconds.ok()) return seconds.status();
        generation_seconds = *seconds;
      }
      for (const Labels labels : LabelsOf(variant, resolved)) {
        auto searched = SearchAndValidate(
            resolved.topology, mapping, tuples, keys,
            built->searcher({.direction = resolved.direction, .labels = labels}), progress, keep);
        if (!searched.ok()) return searched.status();
        all.rows.push_back({.graph = tuples.name(),
                            .ids = &tuples.ids(),
                            .scale = tuples.scale(),
                            .vertices = tuples.vertices(),
                            .tuples = tuples.count(),
                            .ways = tuples.ways(),
                            .adjacency_bytes = built->adjacency_bytes,
                            .generation_seconds = generation_seconds,
                            .construction_seconds = built->construction_seconds,
                            .variant = variant,
                            .labels = labels,
                            .policy = mapping.policy(),
                            .binds = mapping.binds() || mapping.policy() == topo::Policy::kNone,
                            .threads = mapping.size(),
                            .max_rss_bytes = static_cast<std::int64_t>(program::MaxRssBytes()),
                            .searched = *std::move(searched)});
      }
    }
  }
  return all;
}

}  // namespace bfs
