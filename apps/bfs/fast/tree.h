// The tree that a search finds: a parent for each vertex, in the ids that its caller asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/bfs/hubs/hub_graph.h"
#include "apps/bfs/problem/answer.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A resource. At first no vertex has a parent. Each search sets parents, and leaves none of the
// search before: by SetUnreached for each other active vertex, or by Clear.
//
// Threads: different ones may write different vertices.
template <Labels labels>
class Tree {
 public:
  // Each thread's node has its share. Errors: those of topo::Array.
  static absl::StatusOr<Tree> Allocate(const topo::Topology& topology, const topo::Mapping& mapping,
                                       const HubGraph& graph) {
    auto parents = topo::Array<graph::Vertex>::AllocateSliced(
        topology, mapping, graph.vertices(), {.pages = topo::MemoryOptions::Pages::kHuge});
    if (!parents.ok()) return parents.status();
    std::fill(parents->begin(), parents->end(), kNoParent);
    return Tree(graph, *std::move(parents));
  }

  // Both are ranks, of active vertices.
  void SetParent(graph::Vertex rank, graph::Vertex parent) {
    if constexpr (labels == Labels::kOriginal) {
      parents_[originals_[rank]] = originals_[parent];
    } else {
      parents_[rank] = parent;
    }
  }
  void SetUnreached(graph::Vertex rank) {
    parents_[labels == Labels::kOriginal ? originals_[rank] : rank] = kNoParent;
  }
  // No vertex has a parent, in this range of the tree's ids. For threads that share all vertices.
  void Clear(std::int64_t begin, std::int64_t end) {
    std::fill(parents_.data() + begin, parents_.data() + end, kNoParent);
  }
  // Both are original ids: isolated vertices have no other, and no parent but where the root is
  // one.
  void SetIsolated(graph::Vertex original, graph::Vertex parent) {
    (labels == Labels::kOriginal ? parents_.data() : translated_.data())[original] = parent;
  }

  // By original ids; valid until the next search. By one thread.
  std::span<const graph::Vertex> InOriginalIds() {
    if constexpr (labels == Labels::kOriginal) return {parents_.data(), graph_->vertices()};
    for (std::uint64_t rank = 0; rank < graph_->active(); ++rank) {
      const graph::Vertex parent = parents_[rank];
      translated_[originals_[rank]] = parent == kNoParent ? kNoParent : originals_[parent];
    }
    return translated_;
  }

 private:
  Tree(const HubGraph& graph, topo::Array<graph::Vertex> parents)
      : graph_(&graph), originals_(graph.originals()), parents_(std::move(parents)) {
    if (labels == Labels::kInternal) translated_.assign(graph.vertices(), kNoParent);
  }

  const HubGraph* graph_;
  const graph::Vertex* originals_;      // by rank
  topo::Array<graph::Vertex> parents_;  // by original id, or by rank
  std::vector<graph::Vertex> translated_;
};

}  // namespace bfs
