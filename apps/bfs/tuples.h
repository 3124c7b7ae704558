// The tuples that a graph is built of and answers are validated against: a generator's, which are
// made again each time, a list's, or those of a mapped file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/bfs/neighbors.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/graph500_generator.h"
#include "apps/graph/ids.h"
#include "apps/graph/kronecker.h"
#include "apps/graph/mapped_edges.h"

namespace bfs {

// How the edges of a list are searched.
enum class Ways {
  kUndirected,  // they have no direction
  kAlongArcs,   // from their first vertex to their second
  kBothWays,    // they are arcs, and searched as if they were none
};
constexpr std::string_view ToString(Ways ways) {
  return ways == Ways::kUndirected  ? "undirected"
         : ways == Ways::kAlongArcs ? "directed"
                                    : "symmetrized";
}

// A value. Threads: Read by any.
class Tuples {
 public:
  // By this tree's generator, or by that of Graph500's reference code. Errors: those of
  // graph::Check.
  static absl::StatusOr<Tuples> Generated(const graph::Kronecker& kronecker);
  static absl::StatusOr<Tuples> Generated(const graph::Graph500& reference);
  // Those of a list, by this name.
  static Tuples Listed(std::string name, graph::EdgeList list);
  // Those of a mapped file, by this name.
  static Tuples Mapped(std::string name, std::shared_ptr<const graph::MappedEdges> edges);

  // Arcs are searched both ways. Does nothing to a list without directions.
  void Symmetrize() {
    if (ways() == Ways::kAlongArcs) symmetrized_ = true;
  }

  Ways ways() const {
    return list_.direction == graph::Direction::kUndirected ? Ways::kUndirected
           : symmetrized_                                   ? Ways::kBothWays
                                                            : Ways::kAlongArcs;
  }
  // The direction in which edges are searched.
  graph::Direction direction() const {
    return ways() == Ways::kAlongArcs ? graph::Direction::kDirected : graph::Direction::kUndirected;
  }

  const std::string& name() const { return name_; }  // "kronecker", "graph500", or the file's
  // Of a generated graph.
  std::optional<int> scale() const {
    return kronecker_   ? std::optional(kronecker_->scale)
           : reference_ ? std::optional(reference_->scale)
                        : std::nullopt;
  }
  // Of the reference code's graph.
  const std::optional<graph::Graph500>& reference() const { return reference_; }

  std::uint64_t vertices() const {
    return kronecker_   ? kronecker_->vertices()
           : reference_ ? reference_->vertices()
                        : list_.vertices;
  }
  std::uint64_t count() const {
    return kronecker_   ? kronecker_->edges()
           : reference_ ? reference_->edges()
           : mapped_    ? mapped_->count()
                        : list_.edges.size();
  }
  // The ids that users know the vertices by.
  const graph::Ids& ids() const { return list_.ids; }

  // Tuples first, first + 1, ...; precondition: first + out.size() <= count().
  void Read(std::uint64_t first, std::span<graph::Edge> out) const;

  // Are they in memory that no forecast counts: neither made again nor in a mapped file?
  bool stored() const { return !scale() && mapped_ == nullptr; }

  // All in a list of its own.
  graph::EdgeList List() const;
  // Rows of neighbors (neighbors.h), along arcs where ways() says so. The construction holds all
  // tuples in memory.
  Neighbors Build() const;

 private:
  std::string name_;
  // At most one generator is set.
  std::optional<graph::Kronecker> kronecker_;
  std::optional<graph::Graph500> reference_;
  std::shared_ptr<const graph::MappedEdges> mapped_;
  graph::EdgeList list_;  // of a file, or as it was given; without edges where they are mapped
  bool symmetrized_ = false;
};

}  // namespace bfs
