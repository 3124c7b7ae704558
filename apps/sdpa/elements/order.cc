#include "apps/sdpa/elements/order.h"

#include <algorithm>
#include <numeric>

#include "apps/sdpa/elements/rank_one.h"

namespace sdpa {
namespace {

std::size_t NonZeros(const SparseMatrix& matrix) {
  std::size_t count = 0;
  for (const auto& [block, elements] : matrix) count += NonZeros(elements);
  return count;
}

}  // namespace

std::vector<std::size_t> FullestFirst(const Problem& problem) {
  std::vector<std::size_t> count(problem.constraints()), order(problem.constraints());
  for (std::size_t i = 0; i < count.size(); ++i) count[i] = NonZeros(problem.matrices[i + 1]);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return count[a] > count[b]; });
  return order;
}

Problem Reordered(const Problem& problem, const std::vector<std::size_t>& order) {
  Problem reordered = {.blocks = problem.blocks, .costs = {}, .matrices = {problem.matrices[0]}};
  for (const std::size_t i : order) {
    reordered.costs.push_back(problem.costs[i]);
    reordered.matrices.push_back(problem.matrices[i + 1]);
  }
  return reordered;
}

}  // namespace sdpa
