// Graph500's five checks of a search's answer, against the tuples: a fault of the graph's
// construction is found, too.
//
//   1. the parents make a tree whose root is the key: no cycle, no parent that was not reached;
//   2. a vertex is one level below its parent;
//   3. the ends of each tuple are at most one level apart;
//   4. both ends of a tuple were reached, or neither: the tree spans its component;
//   5. a vertex and its parent are joined by a tuple.
//
// Of a directed graph, check 5 asks for an arc from parent to child. Checks 3 and 4 hold along an
// arc: where the tail was reached, the head was reached too, at most one level deeper. The head
// says nothing about the tail.
//
// FindLevels has 1 and, as it computes the levels by the parents, 2; Look sees tuples once, block
// by block, so that they can be made again instead of stored; Finish has 5. An answer that passes
// all five has the lengths of shortest paths: along a path from the root no level rises by more
// than one an edge, and along the tree it rises by one.
//
// Source: Graph500 benchmark specification, section 8; [ULIBC14] section 4.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/bfs/problem/answer.h"
#include "apps/graph/edge_list.h"
#include "topo/topo.h"

namespace bfs {

// A value: figures of a valid answer.
struct Component {
  // Tuples with both ends reached, with repeated tuples and self-loops: the edges of TEPS. Of a
  // directed graph, arcs with a reached tail.
  std::int64_t tuples = 0;
  std::int64_t vertices = 0;
  std::int32_t depth = 0;  // of the deepest vertex

  friend bool operator==(const Component&, const Component&) = default;
};

// A resource: the answers of up to kKeys searches under validation, of which it has copies. Those
// of one vertex lie side by side, so that a tuple, whose ends lie anywhere, costs two accesses to
// memory for all keys.
//
// Threads: Add by one. Each of FindLevels, Look and Finish by any number of threads at once, and
// all of it before the next begins.
class Validation {
 public:
  static constexpr std::size_t kKeys = kAnswersTogether;

  // Each thread's node has its share. Errors: those of topo::Array.
  static absl::StatusOr<Validation> Allocate(
      const topo::Topology& topology, const topo::Mapping& mapping, std::uint64_t vertices,
      graph::Direction direction = graph::Direction::kUndirected);

  // parents[v] is v's parent in the tree, the root's is the root, kNoParent of a vertex that was
  // not reached. Errors, here and below InvalidArgument with key, vertices and levels: a root that
  // is no vertex, or not its own parent. Precondition: keys() < kKeys, a parent for each vertex.
  absl::Status Add(graph::Vertex root, std::span<const graph::Vertex> parents);

  // Checks 1 and 2 of the vertices from `first` up to `last`, and a parent that is no vertex. Takes
  // no memory. Of more than 2^31 - 3 levels it says so as an error.
  absl::Status FindLevels(std::uint64_t first, std::uint64_t last);

  // Checks 3 and 4, and a tuple's end that is no vertex. Precondition: keys() > 0, fewer than 2^32
  // tuples.
  absl::Status Look(std::span<const graph::Edge> tuples);

  // Check 5 of these vertices; they are counted.
  absl::Status Finish(std::uint64_t first, std::uint64_t last);

  std::size_t keys() const { return roots_.size(); }
  std::uint64_t vertices() const { return visits_.size(); }
  graph::Vertex root(std::size_t key) const { return roots_[key]; }
  const Component& component(std::size_t key) const { return components_[key]; }
  graph::Vertex parent(std::size_t key, graph::Vertex vertex) const {
    return visits_[vertex].parents[key];
  }
  // Negative where it was not reached.
  std::int32_t level(std::size_t key, graph::Vertex vertex) const;

 private:
  // A word has the marks of two keys; validation.cc says what a mark is.
  struct alignas(kBytesTogether) Visits {
    std::array<graph::Vertex, kKeys> parents;
    std::array<std::uint64_t, kKeys / 2> marks;
  };

  Validation(topo::Array<Visits> visits, graph::Direction direction)
      : visits_(std::move(visits)), direction_(direction) {}

  template <graph::Direction direction>
  absl::Status LookAt(std::span<const graph::Edge> tuples);

  std::uint32_t MarkOf(std::size_t key, graph::Vertex vertex);
  void SetLevel(std::size_t key, graph::Vertex vertex, std::uint32_t mark);
  absl::Status ClimbFrom(std::size_t key, graph::Vertex start);
  absl::Status FaultOf(graph::Edge tuple);

  std::vector<graph::Vertex> roots_;              // by key
  std::array<Component, kKeys> components_ = {};  // added to by Look and Finish
  topo::Array<Visits> visits_;                    // by vertex; zeroes at first
  graph::Direction direction_;
};

}  // namespace bfs
