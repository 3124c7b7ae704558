#include "apps/simpath/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/simpath/elimination.h"
#include "apps/simpath/estimate.h"

namespace simpath {

using graph::Vertex;

namespace {

std::vector<std::size_t> InputOrder(const Problem& problem) {
  std::vector<std::size_t> order(problem.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Edges that the search does not come to are last, as they are.
std::vector<std::size_t> BreadthFirst(const Problem& problem, Vertex from) {
  std::vector<std::vector<std::size_t>> edges_of(problem.vertices);
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    edges_of[problem.edges[i].from].push_back(i);
    edges_of[problem.edges[i].to].push_back(i);
  }
  std::vector<bool> found(problem.vertices), listed(problem.edges.size());
  std::vector<Vertex> queue = {from};
  found[from] = true;
  std::vector<std::size_t> order;
  const auto list = [&](std::size_t edge) {
    if (!listed[edge]) order.push_back(edge);
    listed[edge] = true;
  };
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const std::size_t edge : edges_of[queue[next]]) {
      list(edge);
      for (const Vertex end : {problem.edges[edge].from, problem.edges[edge].to}) {
        if (!found[end]) queue.push_back(end);
        found[end] = true;
      }
    }
  }
  for (std::size_t edge = 0; edge < problem.edges.size(); ++edge) list(edge);
  return order;
}

std::vector<std::size_t> BestOrder(const Problem& problem) {
  std::vector<std::vector<std::size_t>> orders = {
      InputOrder(problem), BreadthFirst(problem, problem.source),
      BreadthFirst(problem, problem.target), OrderByElimination(problem)};
  for (std::size_t i = 0, given = orders.size(); i < given; ++i) {
    orders.emplace_back(orders[i].rbegin(), orders[i].rend());
  }
  std::vector<double> estimates;
  for (const auto& order : orders) estimates.push_back(EstimateStates(problem, order));
  const auto least = std::min_element(estimates.begin(), estimates.end());
  return std::move(orders[static_cast<std::size_t>(least - estimates.begin())]);
}

}  // namespace

std::vector<std::size_t> OrderEdges(const Problem& problem, Order order) {
  switch (order) {
    case Order::kInput:
      return InputOrder(problem);
    case Order::kBreadthFirst:
      return BreadthFirst(problem, problem.source);
    case Order::kBest:
      return BestOrder(problem);
  }
  return {};
}

Problem Ordered(const Problem& problem, Order order) {
  Problem ordered = problem;
  std::size_t at = 0;
  for (const std::size_t edge : OrderEdges(problem, order)) {
    ordered.edges[at] = problem.edges[edge];
    if (!problem.weights.empty()) ordered.weights[at] = problem.weights[edge];
    ++at;
  }
  return ordered;
}

}  // namespace simpath
