#include "apps/bfs/tuples.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace bfs {

absl::StatusOr<Tuples> Tuples::Generated(const graph::Kronecker& kronecker) {
  if (absl::Status status = graph::Check(kronecker); !status.ok()) return status;
  Tuples tuples;
  tuples.name_ = "kronecker";
  tuples.kronecker_ = kronecker;
  return tuples;
}

absl::StatusOr<Tuples> Tuples::Generated(const graph::Graph500& reference) {
  if (absl::Status status = graph::Check(reference); !status.ok()) return status;
  Tuples tuples;
  tuples.name_ = "graph500";
  tuples.reference_ = reference;
  return tuples;
}

Tuples Tuples::Listed(std::string name, graph::EdgeList list) {
  Tuples tuples;
  tuples.name_ = std::move(name);
  tuples.list_ = std::move(list);
  return tuples;
}

Tuples Tuples::Mapped(std::string name, std::shared_ptr<const graph::MappedEdges> edges) {
  Tuples tuples;
  tuples.name_ = std::move(name);
  tuples.list_.vertices = edges->rows().vertices();
  tuples.list_.direction = edges->rows().direction();
  tuples.list_.ids = edges->rows().ids();
  tuples.mapped_ = std::move(edges);
  return tuples;
}

void Tuples::Read(std::uint64_t first, std::span<graph::Edge> out) const {
  if (kronecker_) return graph::Generate(*kronecker_, first, out);
  if (reference_) return graph::Generate(*reference_, first, out);
  if (mapped_) return mapped_->Read(first, out);
  std::copy_n(list_.edges.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
}

graph::EdgeList Tuples::List() const {
  graph::EdgeList list = list_;
  if (stored()) return list;
  list.vertices = vertices();
  list.edges.resize(count());
  Read(0, list.edges);
  return list;
}

Neighbors Tuples::Build() const {
  const auto neighbors_of = [&](const graph::EdgeList& list) {
    return ways() == Ways::kAlongArcs ? NeighborsByArcs(list) : NeighborsByEdges(list);
  };
  return stored() ? neighbors_of(list_) : neighbors_of(List());
}

}  // namespace bfs
