#include "apps/sdpa/generate/graph_problems.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

// Each edge that joins two vertices once, the lower end first.
std::set<std::pair<int, int>> EdgesOf(const graph::EdgeList& graph) {
  std::set<std::pair<int, int>> edges;
  for (const graph::Edge& edge : graph.edges) {
    const auto [low, high] = std::minmax(edge.from, edge.to);
    if (low != high) edges.insert({static_cast<int>(low), static_cast<int>(high)});
  }
  return edges;
}

SparseMatrix OneElement(int row, int column, double value) {
  return {{.block = 0, .elements = {{row, column, value}}}};
}

}  // namespace

Problem Theta(const graph::EdgeList& graph) {
  const int n = static_cast<int>(graph.vertices);
  Problem problem = {.blocks = {BlockOfRows(n)}, .costs = {1}, .matrices = {}};
  std::vector<Element> ones, diagonal;
  // Most of the problem: neither copied nor grown.
  ones.reserve(static_cast<std::size_t>(n) * (static_cast<std::size_t>(n) + 1) / 2);
  for (int row = 0; row < n; ++row) {
    diagonal.push_back({row, row, 1});
    for (int column = row; column < n; ++column) ones.push_back({row, column, 1});
  }
  for (std::vector<Element>* elements : {&ones, &diagonal}) {
    problem.matrices.emplace_back().push_back({0, std::move(*elements)});
  }
  for (const auto& [row, column] : EdgesOf(graph)) {
    problem.matrices.push_back(OneElement(row, column, 1));
    problem.costs.push_back(0);
  }
  return problem;
}

Problem BorderedTheta(const graph::EdgeList& graph) {
  const int n = static_cast<int>(graph.vertices);
  Problem problem = {.blocks = {BlockOfRows(n + 1)}, .costs = {1}, .matrices = {}};
  std::vector<Element> diagonal;
  for (int row = 1; row <= n; ++row) diagonal.push_back({row, row, 1});
  problem.matrices = {{{0, std::move(diagonal)}}, OneElement(0, 0, 1)};
  for (int row = 1; row <= n; ++row) {
    problem.matrices.push_back({{0, {{0, row, -0.5}, {row, row, 1}}}});
    problem.costs.push_back(0);
  }
  for (const auto& [row, column] : EdgesOf(graph)) {
    problem.matrices.push_back(OneElement(row + 1, column + 1, 1));
    problem.costs.push_back(0);
  }
  return problem;
}

Problem MaxCut(const graph::EdgeList& graph) {
  return MaxCut(graph, std::vector<double>(graph.edges.size(), 1.0));
}

Problem MaxCut(const graph::EdgeList& graph, const std::vector<double>& weights) {
  const int n = static_cast<int>(graph.vertices);
  Problem problem = {.blocks = {BlockOfRows(n)}, .costs = {}, .matrices = {}};
  MatrixBuilder laplacian;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const int from = static_cast<int>(graph.edges[i].from),
              to = static_cast<int>(graph.edges[i].to);
    if (from == to) continue;
    laplacian.Add(0, from, to, -weights[i] / 4);
    laplacian.Add(0, from, from, weights[i] / 4);
    laplacian.Add(0, to, to, weights[i] / 4);
  }
  problem.matrices = {laplacian.Build()};
  for (int vertex = 0; vertex < n; ++vertex) {
    problem.matrices.push_back(OneElement(vertex, vertex, 1));
    problem.costs.push_back(1);
  }
  return problem;
}

Problem Bisection(const graph::EdgeList& graph) {
  Problem problem = MaxCut(graph, std::vector<double>(graph.edges.size(), -4.0));
  const int n = static_cast<int>(graph.vertices);
  MatrixBuilder ones;
  for (int row = 0; row < n; ++row) {
    for (int column = row; column < n; ++column) ones.Add(0, row, column, 1);
  }
  problem.matrices.push_back(ones.Build());
  problem.costs.push_back(0);
  return problem;
}

}  // namespace sdpa
