#include "apps/sdpa/elements/check.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "apps/sdpa/elements/formulas.h"
#include "apps/sdpa/elements/rank_one.h"

namespace sdpa {
namespace {

double MultiplicationsOfF3(std::span<const Element> f_i, std::span<const Element> f_j) {
  return static_cast<double>(NonZeros(f_i)) * static_cast<double>(NonZeros(f_j));
}
double MultiplicationsOfF2(std::size_t n, std::span<const Element> f_i,
                           std::span<const Element> f_j) {
  return static_cast<double>(n) * static_cast<double>(n + NonZeros(f_i) + NonZeros(f_j));
}

// Calls body(block, F_i's elements, F_j's) for each block that both have.
template <typename Body>
void ForEachShared(const Problem& problem, std::size_t i, std::size_t j, const Body& body) {
  const SparseMatrix &of_i = problem.matrices[i + 1], &of_j = problem.matrices[j + 1];
  auto other = of_j.begin();
  for (const auto& [block, f_i] : of_i) {
    while (other != of_j.end() && other->block < block) ++other;
    if (other == of_j.end()) return;
    if (other->block == block) body(static_cast<std::size_t>(block), f_i, other->elements);
  }
}

double InDenseBlock(std::span<const Element> f_i, std::span<const Element> f_j, const DenseBlock& y,
                    const DenseBlock& inverse) {
  const std::size_t n = y.size;
  if (MultiplicationsOfF3(f_i, f_j) <= MultiplicationsOfF2(n, f_i, f_j)) {
    return ByF3(f_i, f_j, y, inverse);
  }
  std::vector<double> product(n * n);
  TimesInverse(inverse, f_j, product);
  return ByF2(f_i, y, {n, product});
}

double InDiagonalBlock(std::span<const Element> f_i, std::span<const Element> f_j,
                       std::span<const double> y, std::span<const double> inverse) {
  double sum = 0;
  auto at = f_j.begin();
  for (const auto [row, column, value] : f_i) {
    while (at != f_j.end() && at->row < row) ++at;
    const auto k = static_cast<std::size_t>(row);
    if (at != f_j.end() && at->row == row) sum += value * at->value * y[k] * inverse[k];
  }
  return sum;
}

double MultiplicationsOf(const Problem& problem, std::size_t i, std::size_t j) {
  double all = 0;
  ForEachShared(problem, i, j, [&](std::size_t l, const auto& f_i, const auto& f_j) {
    const auto n = static_cast<std::size_t>(problem.blocks[l].size);
    all += problem.blocks[l].shape == Shape::kDiagonal
               ? static_cast<double>(f_i.size() + f_j.size())
               : std::min(MultiplicationsOfF3(f_i, f_j), MultiplicationsOfF2(n, f_i, f_j));
  });
  return all;
}

}  // namespace

double ElementAsWritten(const Problem& problem, const Layout& layout, std::span<const double> y,
                        std::span<const double> inverse, std::size_t i, std::size_t j) {
  double sum = 0;
  ForEachShared(problem, i, j, [&](std::size_t l, const auto& f_i, const auto& f_j) {
    const auto n = static_cast<std::size_t>(problem.blocks[l].size);
    const std::size_t first = layout.begin[l], count = layout.begin[l + 1] - first;
    const auto of_y = y.subspan(first, count), of_inverse = inverse.subspan(first, count);
    sum += problem.blocks[l].shape == Shape::kDense
               ? InDenseBlock(f_i, f_j, {n, of_y}, {n, of_inverse})
               : InDiagonalBlock(f_i, f_j, of_y, of_inverse);
  });
  return sum;
}

double LargestError(const Problem& problem, const Layout& layout, std::span<const double> y,
                    std::span<const double> inverse,
                    const std::function<double(std::size_t, std::size_t)>& at) {
  std::mt19937_64 random(3);
  const std::size_t m = problem.constraints();
  constexpr int kElements = 200;
  constexpr double kMostMultiplications = 2e9;
  const auto element = [&](std::size_t i, std::size_t j) {
    return ElementAsWritten(problem, layout, y, inverse, i, j);
  };
  double largest = 0, multiplications = 0;
  for (int k = 0; k < kElements && multiplications < kMostMultiplications; ++k) {
    std::size_t i = random() % m, j = k % 2 == 0 ? std::min(i + random() % 3, m - 1) : random() % m;
    if (i < j) std::swap(i, j);
    for (const auto& [a, b] : {std::pair(i, i), std::pair(j, j), std::pair(i, j)}) {
      multiplications += MultiplicationsOf(problem, a, b);
    }
    const double error = std::abs(at(i, j) - element(i, j));
    if (error == 0) continue;  // as where both are 0, and so is the diagonal
    const double relative = error / std::sqrt(std::abs(element(i, i) * element(j, j)));
    if (!(relative <= largest)) largest = relative;
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

}  // namespace sdpa
