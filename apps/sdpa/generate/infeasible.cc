#include "apps/sdpa/generate/infeasible.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

constexpr int kDiagonalRows = 3;

std::vector<Block> BlocksOf(const InfeasibleOptions& options) {
  return {BlockOfRows(options.rows), {Shape::kDiagonal, kDiagonalRows}};
}

// L L', where L has ones on the diagonal and is of whole numbers: positive definite, its first
// element 1. The diagonal block is of ones.
std::vector<std::vector<double>> PositiveDefinite(const InfeasibleOptions& options,
                                                  Random& random) {
  const auto n = static_cast<std::size_t>(options.rows);
  std::vector<double> factor(n * n, 0), all(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    factor[i * n + i] = 1;
    for (std::size_t j = 0; j < i; ++j) factor[i * n + j] = random.Below(3) - 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k <= std::min(i, j); ++k) {
        all[i * n + j] += factor[i * n + k] * factor[j * n + k];
      }
    }
  }
  return {std::move(all), std::vector<double>(kDiagonalRows, 1.0)};
}

// Calls back with block, row, column of the upper triangles and where the element is.
template <typename Visit>
void ForEachElement(const InfeasibleOptions& options, const Visit& visit) {
  for (int row = 0; row < options.rows; ++row) {
    for (int column = row; column < options.rows; ++column) {
      visit(0, row, column, static_cast<std::size_t>(row * options.rows + column));
    }
  }
  for (int row = 0; row < kDiagonalRows; ++row) visit(1, row, row, static_cast<std::size_t>(row));
}

}  // namespace

Generated PrimalInfeasible(const InfeasibleOptions& options) {
  Random random(options.seed);
  Generated generated = {.name = {},
                         .problem = {.blocks = BlocksOf(options), .costs = {}, .matrices = {}},
                         .answer = Answer::kPrimalInfeasible};
  const std::vector<std::vector<double>> y = PositiveDefinite(options, random);
  for (int i = 0; i <= options.constraints; ++i) {
    MatrixBuilder matrix;
    double product = i == 0 ? -1 : 0, trace = 0;
    ForEachElement(options, [&](int block, int row, int column, std::size_t at) {
      const double value = random.Fraction();
      matrix.Add(block, row, column, value);
      product += (row == column ? 1 : 2) * value * y[static_cast<std::size_t>(block)][at];
      trace += row == column ? value : 0;
    });
    matrix.Add(0, 0, 0, -product);
    generated.problem.matrices.push_back(matrix.Build());
    // Y = I is feasible.
    if (i > 0) generated.problem.costs.push_back(trace - product);
  }
  generated.known = SolutionValues{.x = {}, .slack = {}, .dual = y};
  return generated;
}

Generated DualInfeasible(const InfeasibleOptions& options) {
  Random random(options.seed);
  Generated generated = {.name = {},
                         .problem = {.blocks = BlocksOf(options), .costs = {}, .matrices = {}},
                         .answer = Answer::kDualInfeasible};
  const std::vector<std::vector<double>> sum = PositiveDefinite(options, random);
  MatrixBuilder constant, last;
  ForEachElement(options, [&](int block, int row, int column, std::size_t at) {
    last.Add(block, row, column, sum[static_cast<std::size_t>(block)][at]);
    // x = 0, X = I is feasible.
    if (row == column) constant.Add(block, row, column, -1);
  });
  Problem& problem = generated.problem;
  problem.matrices.push_back(constant.Build());
  std::vector<double> x;
  double cost = -1;
  for (int i = 1; i < options.constraints; ++i) {
    x.push_back(random.NonZero(8));
    problem.costs.push_back(random.Fraction());
    cost -= x.back() * problem.costs.back();
    MatrixBuilder matrix;
    ForEachElement(options, [&](int block, int row, int column, std::size_t) {
      const double value = random.Fraction();
      matrix.Add(block, row, column, value);
      last.Add(block, row, column, -x.back() * value);
    });
    problem.matrices.push_back(matrix.Build());
  }
  x.push_back(1);
  problem.costs.push_back(cost);
  problem.matrices.push_back(last.Build());
  generated.known = SolutionValues{.x = std::move(x), .slack = {}, .dual = {}};
  return generated;
}

Generated WeaklyInfeasible() {
  return {.name = {},
          .problem = {.blocks = {BlockOfRows(2)},
                      .costs = {1},
                      .matrices = {{{0, {{0, 1, -1}}}}, {{0, {{0, 0, 1}}}}}},
          .answer = Answer::kWeaklyInfeasible};
}

}  // namespace sdpa
