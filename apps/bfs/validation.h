// Graph500's five checks of a search's answer, against the tuples: a fault of the graph's
// construction is found, too.
//
//   1. the parents make a tree whose root is the key: no cycle, no parent that was not reached;
//   2. a vertex is one level below its parent;
//   3. the ends of each tuple are at most one level apart;
//   4. both ends of a tuple were reached, or neither: the tree spans its component;
//   5. a vertex and its parent are joined by a tuple.
//
// Begin has 1 and, as it computes the levels by the parents, 2; Look sees tuples once, block by
// block, so that they can be made again instead of stored, and several keys' validations may look
// at the same block; End has 5. An answer that passes all five has the lengths of shortest paths:
// along a path from the root no level rises by more than one an edge, and along the tree it rises
// by one.
//
// Source: Graph500 benchmark specification, section 8; [ULIBC14] section 4.1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/bfs/answer.h"
#include "apps/graph/edge_list.h"

namespace bfs {

// A value. What a valid answer says of its component.
struct Component {
  std::int64_t tuples =
      0;  // with both ends in it, repeated ones and self-loops too: TEPS counts these
  std::int64_t vertices = 0;
  std::int32_t depth = 0;  // of the deepest vertex

  friend bool operator==(const Component&, const Component&) = default;
};

// A resource: one search's answer under validation, of which it has a copy.
//
// Threads: Look by any number of threads at once; Begin before and End after all of it.
class Validation {
 public:
  // parents[v] is v's parent in the tree, the root's is the root, kNoParent of a vertex that was
  // not reached. Errors, here and below InvalidArgument with key, vertices and levels: check 1, a
  // root or a parent that is no vertex.
  static absl::StatusOr<Validation> Begin(graph::Vertex root,
                                          std::span<const graph::Vertex> parents);

  // Checks 3 and 4, and a tuple's end that is no vertex.
  absl::Status Look(std::span<const graph::Edge> tuples);

  // Check 5. All tuples were looked at.
  absl::StatusOr<Component> End() const;

  graph::Vertex parent(graph::Vertex vertex) const { return visits_[vertex].parent; }
  // Negative where it was not reached.
  std::int32_t level(graph::Vertex vertex) const { return visits_[vertex].level; }
  std::vector<std::int32_t> levels() const;  // of all vertices

 private:
  // Side by side, as Look reads both of a vertex that lies anywhere.
  struct Visit {
    graph::Vertex parent = kNoParent;
    std::int32_t level = -1;
  };

  Validation(graph::Vertex root, std::span<const graph::Vertex> parents);

  absl::Status FindLevels();
  absl::Status ClimbFrom(graph::Vertex vertex, std::vector<graph::Vertex>& path);

  graph::Vertex root_;
  std::vector<Visit> visits_;
  std::vector<std::uint8_t>
      joined_;               // 1: a tuple joins the vertex with its parent; written by Look
  std::int64_t tuples_ = 0;  // in the component; added to by Look
};

}  // namespace bfs
