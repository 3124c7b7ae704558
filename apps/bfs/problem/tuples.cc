#include "apps/bfs/problem/tuples.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bfs {

using graph::Direction;
using graph::Edge;

Tuples::Tuples(std::string name, std::uint64_t vertices, std::uint64_t count, Direction direction,
               Reader read)
    : name_(std::move(name)),
      vertices_(vertices),
      count_(count),
      ways_(direction == Direction::kDirected ? Ways::kAlongArcs : Ways::kUndirected),
      read_(std::move(read)) {}

absl::StatusOr<Tuples> Tuples::Generated(const graph::Kronecker& kronecker) {
  if (absl::Status status = graph::Check(kronecker); !status.ok()) return status;
  Tuples tuples("kronecker", kronecker.vertices(), kronecker.edges(), Direction::kUndirected,
                [kronecker](std::uint64_t first, std::span<Edge> out) {
                  graph::Generate(kronecker, first, out);
                });
  tuples.scale_ = kronecker.scale;
  return tuples;
}

absl::StatusOr<Tuples> Tuples::Generated(const graph::Graph500& reference) {
  if (absl::Status status = graph::Check(reference); !status.ok()) return status;
  Tuples tuples("graph500", reference.vertices(), reference.edges(), Direction::kUndirected,
                [reference](std::uint64_t first, std::span<Edge> out) {
                  graph::Generate(reference, first, out);
                });
  tuples.scale_ = reference.scale;
  tuples.reference_ = reference;
  return tuples;
}

Tuples Tuples::Listed(std::string name, graph::EdgeList list) {
  const auto edges = std::make_shared<const std::vector<Edge>>(std::move(list.edges));
  Tuples tuples(std::move(name), list.vertices, edges->size(), list.direction,
                [edges](std::uint64_t first, std::span<Edge> out) {
                  std::copy_n(edges->data() + first, out.size(), out.begin());
                });
  tuples.stored_ = true;
  tuples.ids_ = std::move(list.ids);
  tuples.left_vertices_ = list.left_vertices;
  return tuples;
}

Tuples Tuples::Mapped(std::string name, std::shared_ptr<const graph::MappedEdges> edges) {
  const graph::SerializedRows& rows = edges->rows();
  Tuples tuples(std::move(name), rows.vertices(), edges->count(), rows.direction(),
                [edges](std::uint64_t first, std::span<Edge> out) { edges->Read(first, out); });
  tuples.ids_ = rows.ids();
  tuples.left_vertices_ = rows.left_vertices();
  return tuples;
}

Tuples Tuples::Elsewhere(std::string name, std::uint64_t vertices, std::uint64_t count,
                         Direction direction, Reader read) {
  return Tuples(std::move(name), vertices, count, direction, std::move(read));
}

graph::EdgeList Tuples::List() const {
  graph::EdgeList list;
  list.vertices = vertices_;
  list.direction = direction();
  list.ids = ids_;
  list.left_vertices = left_vertices_;
  list.edges.resize(count_);
  Read(0, list.edges);
  return list;
}

Neighbors Tuples::Build() const {
  return ways_ == Ways::kAlongArcs ? NeighborsByArcs(List()) : NeighborsByEdges(List());
}

}  // namespace bfs
