// The order in which edges are decided, on which the number of states depends, and nothing else.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/program/words.h"
#include "apps/simpath/problem/problem.h"

namespace simpath {

enum class Order : std::uint8_t {
  kInput,         // as they are; of a grid, row by row
  kBreadthFirst,  // as a breadth-first search from the source meets them, [ULIBC14] section 4.2
  // The order with the smallest estimate of states. Candidates are the two orders above, breadth
  // first from the target, sweeps (sweep.h), orders by elimination (elimination.h), and all of
  // these backwards. The search takes about a tenth of the estimated time of the count by one
  // thread, and less than a second.
  kBest,
};
inline constexpr program::Words<Order> kOrders = {
    {Order::kInput, "input"}, {Order::kBreadthFirst, "breadth-first"}, {Order::kBest, "best"}};
constexpr std::string_view ToString(Order order) { return kOrders.Print(order); }

// A value.
struct BestOrder {
  // Looks at edges per estimated state, for a tenth of the count's time: a look takes about 15 ns,
  // a state of the count 50 ns, and the estimate is about 7 times the number of states.
  static constexpr double kLooksAState = 50.0 / 7 / 10 / 15;

  std::vector<std::size_t> edges;  // as OrderEdges
  double estimated_states = 0;
  double looks = 0;  // at edges
};

BestOrder FindBestOrder(const Problem& problem);

// The numbers of the problem's edges, in the order in which to decide them. The same on each run.
std::vector<std::size_t> OrderEdges(const Problem& problem, Order order);

// The problem with its edges, and their weights, in this order.
Problem Ordered(const Problem& problem, Order order);

}  // namespace simpath
