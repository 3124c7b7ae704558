#include "apps/simpath/counting/walk.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace simpath {

using graph::Vertex;

namespace {

class Walker {
 public:
  Walker(const Problem& problem, std::uint64_t most_steps)
      : problem_(problem),
        steps_left_(most_steps),
        most_edges_(problem.max_length.value_or(problem.vertices)),
        next_(problem.vertices),
        visited_(problem.vertices, false) {
    for (const auto [from, to] : problem.edges) {
      next_[from].push_back(to);
      if (!problem.rule.is_directed()) next_[to].push_back(from);
    }
  }

  std::optional<std::uint64_t> Count() {
    const Rule& rule = problem_.rule;
    if (rule.has_terminals()) {
      if (!WalkFrom(problem_.source)) return std::nullopt;
      return found_;
    }
    for (std::uint64_t start = 0; start < problem_.vertices; ++start) {
      if (!WalkFrom(static_cast<Vertex>(start))) return std::nullopt;
    }
    // Without directions each path is walked from both ends, and each cycle both ways round.
    return rule.is_directed() ? found_ : found_ / 2;
  }

 private:
  struct Place {
    Vertex vertex;
    std::size_t next = 0;  // neighbor to look at
  };

  // All paths that begin here, or all cycles whose smallest vertex this is. False if there are no
  // steps left.
  bool WalkFrom(Vertex start) {
    std::vector<Place> path = {{start}};
    visited_[start] = true;
    while (!path.empty()) {
      Place& at = path.back();
      if (at.next == next_[at.vertex].size() || path.size() > most_edges_) {
        visited_[at.vertex] = false;
        path.pop_back();
        continue;
      }
      if (steps_left_-- == 0) return false;
      const Vertex to = next_[at.vertex][at.next++];
      const bool visits_enough = problem_.rule.visits == Visits::kSomeVertices ||
                                 path.size() + (to != start) == problem_.vertices;
      if (problem_.rule.shape == Shape::kCycles) {
        const std::size_t least = problem_.rule.is_directed() ? 2 : 3;
        if (to == start && path.size() >= least && visits_enough) ++found_;
        if (to < start) continue;
      } else if (!visited_[to] && visits_enough) {
        if (!problem_.rule.has_terminals() || to == problem_.target) ++found_;
      }
      // No path goes on behind its end.
      const bool ends = problem_.rule.has_terminals() && to == problem_.target;
      if (visited_[to] || ends) continue;
      visited_[to] = true;
      path.push_back({to});
    }
    return true;
  }

  const Problem& problem_;
  std::uint64_t steps_left_;
  const std::uint64_t most_edges_;
  std::vector<std::vector<Vertex>> next_;
  std::vector<bool> visited_;
  std::uint64_t found_ = 0;
};

}  // namespace

std::optional<std::uint64_t> CountByWalking(const Problem& problem, std::uint64_t most_steps) {
  return Walker(problem, most_steps).Count();
}

Problem Reversed(const Problem& problem) {
  const auto mirror = [&](Vertex vertex) {
    return static_cast<Vertex>(problem.vertices - 1 - vertex);
  };
  Problem reversed = problem;
  for (auto& [from, to] : reversed.edges) {
    std::swap(from, to);
    from = mirror(from);
    to = mirror(to);
  }
  reversed.source = mirror(problem.target);
  reversed.target = mirror(problem.source);
  return reversed;
}

}  // namespace simpath
