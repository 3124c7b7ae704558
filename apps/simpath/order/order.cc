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

// A value: the considered order with the least estimate.
class Least {
 public:
  explicit Least(const Problem& problem) : problem_(&problem) {}

  void Consider(std::vector<std::size_t> order) {
    std::vector<std::size_t> backwards(order.rbegin(), order.rend());
    for (auto* const either : {&order, &backwards}) {
      best_.looks += static_cast<double>(either->size());
      const double states = EstimateStates(*problem_, *either);
      if (!best_.edges.empty() && states >= best_.estimated_states) continue;
      best_.estimated_states = states;
      best_.edges = std::move(*either);
    }
  }
  const std::vector<std::size_t>& order() const { return best_.edges; }
  const BestOrder& best() const { return best_; }

  // Whether a search with so many more looks ends within a tenth of the count.
  bool Pays(double looks) const {
    return best_.looks + looks <= best_.estimated_states * BestOrder::kLooksAState;
  }
  void Pay(double looks) { best_.looks += looks; }

 private:
  const Problem* problem_;
  BestOrder best_;
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

// Two orders for each pair of corners, forwards and backwards. Making the orders takes as long as
// estimating them.
void ConsiderSweeps(const Problem& problem, std::size_t corners, Least& least) {
  const auto looks = static_cast<double>(corners * (corners - 1) * 4 * problem.edges.size());
  if (!least.Pays(2 * looks)) return;
  least.Pay(looks);
  for (const std::vector<Vertex>& sweep : Sweeps(problem, corners)) {
    least.Consider(EliminateInOrder(problem, sweep));
  }
}

void ConsiderElimination(const Problem& problem, EliminationOptions options, Least& least) {
  if (!least.Pays(static_cast<double>(options.steps))) return;
  least.Pay(static_cast<double>(options.steps));
  least.Consider(OrderByElimination(problem, options));
}

}  // namespace

// Cheap searches come first. A longer search follows only if the count, by the least estimate so
// far, takes ten times as long.
BestOrder FindBestOrder(const Problem& problem) {
  // Copies of larger sets of vertices take long.
  constexpr std::uint64_t kMostToEliminate = 10'000;
  constexpr std::size_t kMostSteps = 10'000'000, kMostCorners = 12;
  Least least(problem);
  least.Consider(InputOrder(problem));
  least.Consider(BreadthFirst(problem, problem.source));
  least.Consider(BreadthFirst(problem, problem.target));
  std::size_t corners = 2;
  for (std::size_t steps = 25'000; steps <= kMostSteps; steps *= 4) {
    if (corners <= kMostCorners) ConsiderSweeps(problem, corners, least);
    corners = corners * 2 + 1;
    if (problem.vertices > kMostToEliminate) continue;
    ConsiderElimination(problem, {.steps = steps}, least);
    // The search near the least order seldom finds a better order, so it comes second.
    if (!least.Pays(static_cast<double>(2 * steps))) continue;
    EliminationOptions near = {.steps = steps, .near = Leaving(problem, least.order())};
    near.window = static_cast<std::size_t>(MakePlan(Rearranged(problem, least.order())).slots);
    ConsiderElimination(problem, near, least);
  }
  return least.best();
}

std::vector<std::size_t> OrderEdges(const Problem& problem, Order order) {
  if (problem.edges.empty()) return {};
  switch (order) {
    case Order::kInput:
      return InputOrder(problem);
    case Order::kBreadthFirst:
      return BreadthFirst(problem, problem.source);
    case Order::kBest:
      return FindBestOrder(problem).edges;
  }
  return {};
}

Problem Ordered(const Problem& problem, Order order) {
  return Rearranged(problem, OrderEdges(problem, order));
}

}  // namespace simpath
