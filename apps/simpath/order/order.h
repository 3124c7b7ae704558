// The order in which edges are decided, on which the number of states depends, and nothing else.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/simpath/problem.h"

namespace simpath {

enum class Order : std::uint8_t {
  kInput,         // as they are; of a grid, row by row
  kBreadthFirst,  // as a breadth-first search from the source meets them, [ULIBC14] section 4.2
  // Of these two, of the second from the target, of sweeps (sweep.h), of orders by elimination
  // (elimination.h) and of all of them backwards: that which the least states are estimated of. At
  // most about a second.
  kBest,
};

constexpr std::string_view ToString(Order order) {
  switch (order) {
    case Order::kInput:
      return "input";
    case Order::kBreadthFirst:
      return "breadth-first";
    case Order::kBest:
      return "best";
  }
  return "";
}

// The numbers of the problem's edges, in the order in which to decide them. The same on each run.
std::vector<std::size_t> OrderEdges(const Problem& problem, Order order);

// The problem with its edges, and their weights, in this order.
Problem Ordered(const Problem& problem, Order order);

}  // namespace simpath
