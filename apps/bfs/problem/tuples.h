// The tuples that a graph is built of and answers are validated against: a generator's, which are
// made again each time, a list's, or those of a mapped file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/bfs/problem/neighbors.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/graph500_generator.h"
#include "apps/graph/ids.h"
#include "apps/graph/kronecker.h"
#include "apps/graph/mapped_edges.h"
#include "apps/program/words.h"

namespace bfs {

// How the edges of a list are searched.
enum class Ways {
  kUndirected,  // they have no direction
  kAlongArcs,   // from their first vertex to their second
  kBothWays,    // they are arcs, and searched as if they were none
};
inline constexpr program::Words<Ways> kWays = {{Ways::kUndirected, "undirected"},
                                               {Ways::kAlongArcs, "directed"},
                                               {Ways::kBothWays, "symmetrized"}};
constexpr std::string_view ToString(Ways ways) { return kWays.Print(ways); }

// A value: tuples behind a function that reads them. Threads: Read by any.
class Tuples {
 public:
  // Writes tuples first, first + 1, ... to `out`; any threads call it.
  using Reader = std::function<void(std::uint64_t first, std::span<graph::Edge> out)>;

  // By this tree's generator, or by that of Graph500's reference code. Errors: those of
  // graph::Check.
  static absl::StatusOr<Tuples> Generated(const graph::Kronecker& kronecker);
  static absl::StatusOr<Tuples> Generated(const graph::Graph500& reference);
  // Those of a list, by this name.
  static Tuples Listed(std::string name, graph::EdgeList list);
  // Those of a mapped file, by this name.
  static Tuples Mapped(std::string name, std::shared_ptr<const graph::MappedEdges> edges);
  // Tuples that live elsewhere, by this name.
  static Tuples Elsewhere(std::string name, std::uint64_t vertices, std::uint64_t count,
                          graph::Direction direction, Reader read);

  // Arcs are searched both ways. Does nothing to a list without directions.
  void Symmetrize() {
    if (ways_ == Ways::kAlongArcs) ways_ = Ways::kBothWays;
  }

  Ways ways() const { return ways_; }
  // The direction in which edges are searched.
  graph::Direction direction() const {
    return ways_ == Ways::kAlongArcs ? graph::Direction::kDirected : graph::Direction::kUndirected;
  }

  const std::string& name() const { return name_; }    // "kronecker", "graph500", or the file's
  std::optional<int> scale() const { return scale_; }  // of a generated graph
  // Of the reference code's graph.
  const std::optional<graph::Graph500>& reference() const { return reference_; }

  std::uint64_t vertices() const { return vertices_; }
  std::uint64_t count() const { return count_; }
  // The ids that users know the vertices by.
  const graph::Ids& ids() const { return ids_; }

  // Tuples first, first + 1, ...; precondition: first + out.size() <= count().
  void Read(std::uint64_t first, std::span<graph::Edge> out) const { read_(first, out); }

  // Does a list in memory hold them?
  bool stored() const { return stored_; }

  // All in a list of its own, with the direction in which edges are searched.
  graph::EdgeList List() const;
  // Rows of neighbors (neighbors.h), along arcs where ways() says so. The construction holds all
  // tuples in memory.
  Neighbors Build() const;

 private:
  Tuples(std::string name, std::uint64_t vertices, std::uint64_t count, graph::Direction direction,
         Reader read);

  std::string name_;
  std::uint64_t vertices_ = 0, count_ = 0;
  Ways ways_ = Ways::kUndirected;
  bool stored_ = false;
  std::optional<int> scale_;
  std::optional<graph::Graph500> reference_;
  graph::Ids ids_;
  std::uint64_t left_vertices_ = 0;  // as EdgeList has them
  Reader read_;
};

}  // namespace bfs
