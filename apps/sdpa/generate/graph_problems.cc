#include "apps/sdpa/generate/graph_problems.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sdpa {
namespace {

// From one matrix's elements in one block.
SparseMatrix OneBlock(std::vector<Element> elements) {
  if (elements.empty()) return {};
  return {{.block = 0, .elements = std::move(elements)}};
}

Problem WithOneBlock(const graph::EdgeList& graph) {
  return {
      .blocks = {{Shape::kDense, static_cast<int>(graph.vertices)}}, .costs = {}, .matrices = {}};
}

std::pair<int, int> Ends(const graph::Edge& edge) {
  const auto [low, high] = std::minmax(edge.from, edge.to);
  return {static_cast<int>(low), static_cast<int>(high)};
}

}  // namespace

Problem Theta(const graph::EdgeList& graph) {
  Problem problem = WithOneBlock(graph);
  const int n = problem.blocks[0].size;
  std::vector<Element> ones, diagonal;
  for (int row = 0; row < n; ++row) {
    diagonal.push_back({row, row, 1});
    for (int column = row; column < n; ++column) ones.push_back({row, column, 1});
  }
  problem.matrices = {OneBlock(std::move(ones)), OneBlock(std::move(diagonal))};
  problem.costs = {1};
  std::set<std::pair<int, int>> edges;
  for (const graph::Edge& edge : graph.edges) {
    if (edge.from != edge.to) edges.insert(Ends(edge));
  }
  for (const auto& [row, column] : edges) {
    problem.matrices.push_back(OneBlock({{row, column, 1}}));
    problem.costs.push_back(0);
  }
  return problem;
}

Problem MaxCut(const graph::EdgeList& graph) {
  Problem problem = WithOneBlock(graph);
  std::map<std::pair<int, int>, double> laplacian;
  for (const graph::Edge& edge : graph.edges) {
    if (edge.from == edge.to) continue;
    const auto [row, column] = Ends(edge);
    laplacian[{row, column}] -= 0.25;
    laplacian[{row, row}] += 0.25;
    laplacian[{column, column}] += 0.25;
  }
  std::vector<Element> elements;
  for (const auto& [place, value] : laplacian) {
    elements.push_back({place.first, place.second, value});
  }
  problem.matrices = {OneBlock(std::move(elements))};
  for (int vertex = 0; vertex < problem.blocks[0].size; ++vertex) {
    problem.matrices.push_back(OneBlock({{vertex, vertex, 1}}));
    problem.costs.push_back(1);
  }
  return problem;
}

}  // namespace sdpa
