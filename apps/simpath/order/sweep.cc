#include "apps/simpath/order/sweep.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace simpath {

using graph::Vertex;

namespace {

using Distances = std::vector<std::uint64_t>;

// A value.
class Neighbors {
 public:
  explicit Neighbors(const Problem& problem) : of_(problem.vertices) {
    for (const auto [from, to] : problem.edges) {
      of_[from].push_back(to);
      of_[to].push_back(from);
    }
  }

  // As many as there are vertices where there is no path.
  Distances From(Vertex start) const {
    Distances distances(of_.size(), of_.size());
    distances[start] = 0;
    for (const Vertex vertex : BreadthFirst({start})) {
      if (distances[vertex] == of_.size()) break;
      for (const Vertex to : of_[vertex]) {
        distances[to] = std::min(distances[to], distances[vertex] + 1);
      }
    }
    return distances;
  }

  // These, all that can be reached from them, then the others.
  std::vector<Vertex> BreadthFirst(std::vector<Vertex> queue) const {
    std::vector<bool> found(of_.size());
    for (const Vertex vertex : queue) found[vertex] = true;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const Vertex to : of_[queue[next]]) {
        if (!found[to]) queue.push_back(to);
        found[to] = true;
      }
    }
    for (Vertex vertex = 0; vertex < of_.size(); ++vertex) {
      if (!found[vertex]) queue.push_back(vertex);
    }
    return queue;
  }

  // Of the shortest paths to where the distance is 0, one by vertices of few neighbors, such as
  // those at the rim.
  std::vector<Vertex> Shortest(Vertex start, const Distances& distances) const {
    std::vector<Vertex> path = {start};
    while (true) {
      const Vertex at = path.back();
      const auto next = std::min_element(of_[at].begin(), of_[at].end(), [&](Vertex a, Vertex b) {
        return std::tuple(distances[a], of_[a].size(), a) <
               std::tuple(distances[b], of_[b].size(), b);
      });
      if (next == of_[at].end() || distances[*next] >= distances[at]) return path;
      path.push_back(*next);
    }
  }

 private:
  std::vector<std::vector<Vertex>> of_;
};

Vertex Farthest(const Distances& distances) {
  return static_cast<Vertex>(std::max_element(distances.begin(), distances.end()) -
                             distances.begin());
}

}  // namespace

std::vector<std::vector<Vertex>> Sweeps(const Problem& problem, std::size_t corners) {
  const Neighbors neighbors(problem);
  std::vector<Vertex> corner;
  std::vector<Distances> from;
  Distances nearest = neighbors.From(problem.source);
  while (corner.size() < corners) {
    corner.push_back(Farthest(nearest));
    from.push_back(neighbors.From(corner.back()));
    if (corner.size() == 1) nearest = from[0];
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      nearest[i] = std::min(nearest[i], from.back()[i]);
    }
  }
  std::vector<std::vector<Vertex>> sweeps;
  for (std::size_t a = 0; a < corners; ++a) {
    for (std::size_t b = 0; b < corners; ++b) {
      if (a == b) continue;
      std::vector<Vertex>& by_sum = sweeps.emplace_back(problem.vertices);
      std::iota(by_sum.begin(), by_sum.end(), Vertex{0});
      std::sort(by_sum.begin(), by_sum.end(), [&](Vertex u, Vertex v) {
        return std::tuple(from[a][u] + from[b][u], from[a][u], u) <
               std::tuple(from[a][v] + from[b][v], from[a][v], v);
      });
      sweeps.push_back(neighbors.BreadthFirst(neighbors.Shortest(corner[a], from[b])));
    }
  }
  return sweeps;
}

}  // namespace simpath
