#include "apps/graph/mapped_edges.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace graph {

MappedEdges::MappedEdges(FileBytes file, const SerializedRows& rows)
    : file_(std::move(file)), rows_(rows), first_(rows.vertices() + 1, 0) {
  for (std::uint64_t vertex = 0; vertex < rows_.vertices(); ++vertex) {
    first_[vertex + 1] = first_[vertex] + rows_.end(vertex) - FirstOwn(vertex);
  }
}

std::uint64_t MappedEdges::FirstOwn(std::uint64_t vertex) const {
  std::uint64_t low = rows_.begin(vertex), high = rows_.end(vertex);
  if (rows_.direction() == Direction::kDirected) return low;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (rows_.neighbor(middle) < vertex) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void MappedEdges::Read(std::uint64_t first, std::span<Edge> out) const {
  if (out.empty()) return;
  auto vertex = static_cast<std::uint64_t>(std::upper_bound(first_.begin(), first_.end(), first) -
                                           first_.begin() - 1);
  std::uint64_t entry = FirstOwn(vertex) + (first - first_[vertex]);
  for (Edge& edge : out) {
    while (entry == rows_.end(vertex)) entry = FirstOwn(++vertex);
    edge = {static_cast<Vertex>(vertex), rows_.neighbor(entry++)};
  }
}

EdgeCounts MappedEdges::Count() const {
  EdgeCounts counts;
  for (std::uint64_t vertex = 0; vertex < rows_.vertices(); ++vertex) {
    const std::uint64_t first = FirstOwn(vertex);
    for (std::uint64_t entry = first; entry < rows_.end(vertex); ++entry) {
      const Vertex to = rows_.neighbor(entry);
      if (to == vertex) {
        ++counts.self_loops;
      } else if (entry > first && rows_.neighbor(entry - 1) == to) {
        ++counts.repeated;
      }
    }
  }
  return counts;
}

}  // namespace graph
