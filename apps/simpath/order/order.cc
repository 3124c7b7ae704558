#include "apps/simpath/order/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/order/elimination.h"
#include "apps/simpath/order/estimate.h"
#include "apps/simpath/order/sweep.h"

namespace simpath {

using graph::Vertex;

namespace {

std::vector<std::size_t> InputOrder(const Problem& problem) {
  std::vector<std::size_t> order(problem.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

Problem Rearranged(const Problem& problem, const std::vector<std::size_t>& order) {
  Problem rearranged = problem;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rearranged.edges[i] = problem.edges[order[i]];
    if (!problem.weights.empty()) rearranged.weights[i] = problem.weights[order[i]];
  }
  return rearranged;
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

// A value: the order of the least estimate of those that were considered.
class Least {
 public:
  explicit Least(const Problem& problem) : problem_(&problem) {}

  void Consider(std::vector<std::size_t> order) {
    std::vector<std::size_t> backwards(order.rbegin(), order.rend());
    for (auto* const either : {&order, &backwards}) {
      const double states = EstimateStates(*problem_, *either);
      if (!order_.empty() && states >= states_) continue;
      states_ = states;
      order_ = std::move(*either);
    }
  }
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  const Problem* problem_;
  std::vector<std::size_t> order_;
  double states_ = 0;
};

// The vertices as they leave the frontier.
std::vector<Vertex> Leaving(const Problem& problem, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> last(problem.vertices, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    last[problem.edges[order[i]].from] = last[problem.edges[order[i]].to] = i;
  }
  std::vector<Vertex> vertices(problem.vertices);
  std::iota(vertices.begin(), vertices.end(), Vertex{0});
  std::stable_sort(vertices.begin(), vertices.end(),
                   [&](Vertex a, Vertex b) { return last[a] < last[b]; });
  return vertices;
}

std::vector<std::size_t> BestOrder(const Problem& problem) {
  Least least(problem);
  least.Consider(InputOrder(problem));
  least.Consider(BreadthFirst(problem, problem.source));
  least.Consider(BreadthFirst(problem, problem.target));
  for (const std::vector<Vertex>& sweep : Sweeps(problem)) {
    least.Consider(EliminateInOrder(problem, sweep));
  }
  // Sets of more vertices would take long to copy.
  constexpr std::uint64_t kMostVertices = 10'000;
  if (problem.vertices > kMostVertices) return least.order();
  EliminationOptions near = {.near = Leaving(problem, least.order())};
  near.window = static_cast<std::size_t>(MakePlan(Rearranged(problem, least.order())).slots);
  least.Consider(OrderByElimination(problem, near));
  least.Consider(OrderByElimination(problem));
  return least.order();
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
  return Rearranged(problem, OrderEdges(problem, order));
}

}  // namespace simpath
