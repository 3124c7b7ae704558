#include "apps/simpath/problem/problem.h"

#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace simpath {

using graph::Vertex;

absl::StatusOr<Problem> MakeProblem(const graph::EdgeList& list, std::uint64_t source,
                                    std::uint64_t target, Rule rule) {
  for (const std::uint64_t end : {source, target}) {
    if (rule.has_terminals() && end >= list.vertices) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no vertex ", end, " in a graph of ", list.vertices));
    }
  }
  Problem problem = {.vertices = list.vertices,
                     .edges = {},
                     .source = static_cast<Vertex>(source),
                     .target = static_cast<Vertex>(target),
                     .rule = rule};
  problem.rule.direction = list.direction;
  std::unordered_set<std::uint64_t> seen;
  for (const graph::Edge edge : list.edges) {
    auto [first, second] = edge;
    if (!problem.rule.is_directed() && first > second) std::swap(first, second);
    if (first == second || !seen.insert((std::uint64_t{first} << 32) | second).second) continue;
    problem.edges.push_back(edge);
  }
  return problem;
}

graph::EdgeList Grid(int cells) {
  const auto width = static_cast<Vertex>(cells + 1);
  graph::EdgeList list = {
      .vertices = std::uint64_t{width} * width, .edges = {}, .terminals = {}, .max_length = {}};
  for (Vertex row = 0; row < width; ++row) {
    for (Vertex column = 0; column < width; ++column) {
      const Vertex vertex = row * width + column;
      if (column + 1 < width) list.edges.push_back({vertex, vertex + 1});
      if (row + 1 < width) list.edges.push_back({vertex, vertex + width});
    }
  }
  return list;
}

}  // namespace simpath
