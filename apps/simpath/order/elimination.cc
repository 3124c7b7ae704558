#include "apps/simpath/order/elimination.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "apps/simpath/order/estimate.h"

namespace simpath {

using graph::Vertex;

namespace {

struct End {
  Vertex vertex = 0;
  std::size_t edge = 0;
};
using Neighbors = std::vector<std::vector<End>>;

Neighbors NeighborsOf(const Problem& problem) {
  Neighbors neighbors(problem.vertices);
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    const auto [from, to] = problem.edges[i];
    neighbors[from].push_back({to, i});
    neighbors[to].push_back({from, i});
  }
  return neighbors;
}

// What an edge does to its other end, and its turn among the edges of an eliminated vertex.
enum Turn { kLast, kFurther, kFirst, kDecided };

Turn TurnOf(std::size_t decided, std::size_t degree) {
  if (decided == degree) return kDecided;
  if (decided + 1 == degree) return kLast;
  return decided == 0 ? kFirst : kFurther;
}

// A value: a set of eliminated vertices.
struct Set {
  std::vector<std::uint32_t> decided;  // edges of each vertex
  std::vector<Vertex> frontier;        // not eliminated, with a decided edge
  std::uint64_t hash = 0;
  double states = 1;
  double sum = 0;         // of states, so far
  std::size_t first = 0;  // of the vertices in their order, that has edges left
};

// A value: a set with one vertex more.
struct Candidate {
  double sum = 0;
  double states = 1;
  std::uint64_t hash = 0;
  std::uint32_t parent = 0;
  Vertex vertex = 0;

  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

// How a set was found.
struct Found {
  std::uint32_t parent = 0;
  Vertex vertex = 0;
};

constexpr std::uint64_t HashOf(Vertex vertex) {
  std::uint64_t hash = (vertex + std::uint64_t{1}) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93;
  return hash ^ (hash >> 29);
}

// body(end, decided) for the edges of the vertex that are left, in their turns; `decided` are the
// vertex's before that one.
template <typename Body>
void ForEachLeft(const Neighbors& neighbors, const std::vector<std::uint32_t>& decided,
                 Vertex vertex, Body body) {
  std::size_t already = decided[vertex];
  for (const Turn turn : {kLast, kFurther, kFirst}) {
    for (const End& end : neighbors[vertex]) {
      if (TurnOf(decided[end.vertex], neighbors[end.vertex].size()) == turn) body(end, already++);
    }
  }
}

// A resource of one call.
class Search {
 public:
  Search(Neighbors neighbors, const EliminationOptions& options)
      : neighbors_(std::move(neighbors)), options_(options) {
    for (Vertex vertex = 0; vertex < neighbors_.size(); ++vertex) {
      if (!neighbors_[vertex].empty()) vertices_.push_back(vertex);
    }
    if (options.near.empty()) return;
    vertices_ = options.near;
    std::erase_if(vertices_, [&](Vertex vertex) { return neighbors_[vertex].empty(); });
    place_.resize(neighbors_.size());
    for (std::size_t i = 0; i < vertices_.size(); ++i) place_[vertices_[i]] = i;
  }

  // All vertices that have edges.
  std::vector<Vertex> Run() {
    std::vector<std::vector<Found>> levels;
    std::vector<Set> level(1);
    level[0].decided.resize(neighbors_.size());
    while (levels.size() < vertices_.size()) {
      steps_ = level.size() * neighbors_.size() / 16;  // sets are copied
      std::vector<Candidate> candidates;
      for (std::uint32_t i = 0; i < level.size(); ++i) AddCandidates(level[i], i, candidates);
      const std::size_t beam =
          options_.steps / vertices_.size() * level.size() / (steps_ + level.size());
      levels.emplace_back();
      level =
          Best(level, candidates, std::clamp<std::size_t>(beam, 1, options_.beam), levels.back());
    }
    std::vector<Vertex> order;
    std::uint32_t at = 0;  // the whole, by the cheapest way
    for (std::size_t size = levels.size(); size-- > 0; at = levels[size][at].parent) {
      order.push_back(levels[size][at].vertex);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  // Of the frontier, in the window; of all that are left where there is no frontier. A vertex
  // without edges to decide costs nothing, and is the only candidate.
  void AddCandidates(const Set& set, std::uint32_t index, std::vector<Candidate>& candidates) {
    for (const Vertex vertex : set.frontier) {
      if (IsLeft(set, vertex)) continue;
      candidates.push_back({set.sum, set.states, set.hash + HashOf(vertex), index, vertex});
      return;
    }
    if (place_.empty()) {
      for (const Vertex vertex : set.frontier.empty() ? vertices_ : set.frontier) {
        if (IsLeft(set, vertex)) candidates.push_back(CandidateOf(set, index, vertex));
      }
      return;
    }
    const Vertex first = vertices_[set.first];
    if (set.decided[first] == 0) candidates.push_back(CandidateOf(set, index, first));
    for (const Vertex vertex : set.frontier) {
      if (place_[vertex] > set.first + options_.window) continue;
      candidates.push_back(CandidateOf(set, index, vertex));
    }
  }

  bool IsLeft(const Set& set, Vertex vertex) const {
    return set.decided[vertex] < neighbors_[vertex].size();
  }

  Candidate CandidateOf(const Set& set, std::uint32_t index, Vertex vertex) {
    const std::size_t degree = neighbors_[vertex].size();
    double states = set.states, sum = set.sum;
    ForEachLeft(neighbors_, set.decided, vertex, [&](const End& end, std::size_t decided) {
      const std::size_t of_end = set.decided[end.vertex];
      states *= GrowthByEdge(decided, degree - decided) *
                GrowthByEdge(of_end, neighbors_[end.vertex].size() - of_end);
      sum += states;
    });
    steps_ += degree;
    return {sum, states, set.hash + HashOf(vertex), index, vertex};
  }

  std::vector<Set> Best(const std::vector<Set>& level, std::vector<Candidate>& candidates,
                        std::size_t beam, std::vector<Found>& found) const {
    // Several lead to the same set, but hardly more than so many.
    const auto cheap = candidates.begin() +
                       static_cast<std::ptrdiff_t>(std::min(candidates.size(), kWaysToASet * beam));
    std::nth_element(candidates.begin(), cheap, candidates.end());
    candidates.erase(cheap, candidates.end());
    std::sort(candidates.begin(), candidates.end());
    std::vector<Set> best;
    std::unordered_set<std::uint64_t> seen;
    for (const Candidate& candidate : candidates) {
      if (best.size() == beam) break;
      if (!seen.insert(candidate.hash).second) continue;
      best.push_back(SetOf(level[candidate.parent], candidate));
      found.push_back({candidate.parent, candidate.vertex});
    }
    return best;
  }

  Set SetOf(const Set& parent, const Candidate& candidate) const {
    Set set = {parent.decided,   parent.frontier, candidate.hash,
               candidate.states, candidate.sum,   parent.first};
    std::erase(set.frontier, candidate.vertex);
    for (const End& end : neighbors_[candidate.vertex]) {
      std::uint32_t& decided = set.decided[end.vertex];
      if (decided == neighbors_[end.vertex].size()) continue;
      if (decided++ == 0) set.frontier.push_back(end.vertex);
    }
    set.decided[candidate.vertex] = static_cast<std::uint32_t>(neighbors_[candidate.vertex].size());
    while (set.first < vertices_.size() && !IsLeft(set, vertices_[set.first])) ++set.first;
    return set;
  }

  static constexpr std::size_t kWaysToASet = 6;

  const Neighbors neighbors_;
  const EliminationOptions options_;
  std::vector<Vertex> vertices_;    // that have edges
  std::vector<std::size_t> place_;  // of a vertex in these; none: any vertex may be next
  std::size_t steps_ = 0;           // of this level
};

}  // namespace

std::vector<std::size_t> EliminateInOrder(const Problem& problem,
                                          std::span<const Vertex> vertices) {
  const Neighbors neighbors = NeighborsOf(problem);
  std::vector<std::size_t> order;
  std::vector<std::uint32_t> decided(problem.vertices, 0);
  for (const Vertex vertex : vertices) {
    std::vector<Vertex> ends;
    ForEachLeft(neighbors, decided, vertex, [&](const End& end, std::size_t) {
      order.push_back(end.edge);
      ends.push_back(end.vertex);
    });
    for (const Vertex end : ends) ++decided[end];
    decided[vertex] = static_cast<std::uint32_t>(neighbors[vertex].size());
  }
  return order;
}

std::vector<std::size_t> OrderByElimination(const Problem& problem,
                                            const EliminationOptions& options) {
  return EliminateInOrder(problem, Search(NeighborsOf(problem), options).Run());
}

}  // namespace simpath
