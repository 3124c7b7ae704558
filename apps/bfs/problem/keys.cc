#include "apps/bfs/problem/keys.h"

#include <cstddef>
#include <unordered_set>

#include "apps/graph/scramble.h"

namespace bfs {

std::vector<graph::Vertex> ChooseKeys(std::uint64_t vertices, int count, std::uint64_t seed,
                                      const std::function<bool(graph::Vertex)>& has_edges) {
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<graph::Vertex> keys;
  std::unordered_set<graph::Vertex> chosen;
  const auto consider = [&](std::uint64_t candidate) {
    const auto vertex = static_cast<graph::Vertex>(candidate);
    if (has_edges(vertex) && chosen.insert(vertex).second) keys.push_back(vertex);
  };
  if (vertices == 0) return keys;
  // Half of the vertices of a generated graph have edges, so a few draws a key are enough.
  const std::uint64_t draws = 100 * std::uint64_t{wanted};
  for (std::uint64_t draw = 0; draw < draws && keys.size() < wanted; ++draw) {
    consider(graph::Mix(graph::Mix(seed) + draw) % vertices);
  }
  // A graph with hardly any edges: whatever has some.
  for (std::uint64_t vertex = 0; vertex < vertices && keys.size() < wanted; ++vertex)
    consider(vertex);
  return keys;
}

}  // namespace bfs
