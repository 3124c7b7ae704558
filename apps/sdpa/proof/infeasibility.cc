#include "apps/sdpa/proof/infeasibility.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "apps/sdpa/proof/exact.h"
#include "apps/sdpa/proof/opposite_rows.h"
#include "apps/sdpa/proof/positive.h"

namespace sdpa {
namespace {

using Long = long double;
using LongBlocks = BlocksOf<Long>;

constexpr InfeasibilityProof kNoSolution = {
    .residual = 0, .shift = 0, .least_size = std::numeric_limits<double>::infinity()};
// A bound below is not worth the search for an exact proof.
constexpr double kWorthMore = 1e6;

double Double(Long value) { return static_cast<double>(value); }

// No solution is smaller than 1 over the error: infinity for no error alone, be it ever so small.
double LeastSizeOf(Long error) {
  if (error == 0) return std::numeric_limits<double>::infinity();
  return Double(std::min<Long>(1 / error, std::numeric_limits<double>::max()));
}

// Frobenius'.
Long NormOf(const SparseMatrix& matrix) {
  Long squares = 0;
  for (const auto& [block, elements] : matrix) {
    for (const auto [row, column, value] : elements) {
      squares += (row == column ? 1 : 2) * static_cast<Long>(value) * value;
    }
  }
  return std::sqrt(squares);
}

// sum += scale |matrix|, element by element.
void AddSizes(const Problem& problem, const SparseMatrix& matrix, Long scale, LongBlocks& sum) {
  for (const auto& [number, elements] : matrix) {
    const auto l = static_cast<std::size_t>(number);
    const Block& block = problem.blocks[l];
    for (const auto [row, column, value] : elements) {
      sum[l][IndexIn(block, row, column)] += scale * std::abs(value);
      if (row != column) sum[l][IndexIn(block, column, row)] += scale * std::abs(value);
    }
  }
}

// A bound of the error of a sum of so many terms, over the sum of their sizes.
Long RoundingsOf(std::size_t terms) { return 1e-18L * static_cast<Long>(terms + 2); }

// A bound of the error of ExactDot; 0 where the processor says that it rounded nothing.
template <typename Number>
Long LostBy(const Problem& problem, const SparseMatrix& matrix, const BlocksOf<Number>& with) {
  std::feclearexcept(FE_INEXACT);
  [[maybe_unused]] const volatile Long sum = ExactDot<Long>(problem, matrix, with);
  if (std::fetestexcept(FE_INEXACT) == 0) return 0;
  Long sizes = 0;
  std::size_t terms = 0;
  for (const auto& [number, elements] : matrix) {
    const auto l = static_cast<std::size_t>(number);
    const Block& block = problem.blocks[l];
    terms += 2 * elements.size();
    for (const auto [row, column, value] : elements) {
      sizes +=
          std::abs(value) * (std::abs(static_cast<Long>(with[l][IndexIn(block, row, column)])) +
                             std::abs(static_cast<Long>(with[l][IndexIn(block, column, row)])));
    }
  }
  return RoundingsOf(terms) * sizes;
}

// Y, moved to where F_i.Y = 0 by the least that does it.
struct Moved {
  LongBlocks dual;
  Long left = 0;  // a matrix that meets them all exactly is no further than this
};

// The Gram matrix of the F_i over their norms, row by row; a row of an F_i that is 0 is that of I.
std::vector<Long> GramMatrix(const Problem& problem, const std::vector<Long>& norms) {
  const std::size_t m = problem.constraints();
  std::vector<Long> gram(m * m, 0);
  std::vector<std::vector<double>> whole;
  for (const auto& [shape, size] : problem.blocks) {
    const auto rows = static_cast<std::size_t>(size);
    whole.emplace_back(shape == Shape::kDense ? rows * rows : rows, 0);
  }
  const auto fill = [&](const SparseMatrix& matrix, bool is_there) {
    for (const auto& [number, elements] : matrix) {
      const auto l = static_cast<std::size_t>(number);
      for (const auto [row, column, value] : elements) {
        const double element = is_there ? value : 0;
        whole[l][IndexIn(problem.blocks[l], row, column)] = element;
        whole[l][IndexIn(problem.blocks[l], column, row)] = element;
      }
    }
  };
  for (std::size_t i = 0; i < m; ++i) {
    if (norms[i] == 0) {
      gram[i * m + i] = 1;
      continue;
    }
    fill(problem.matrices[i + 1], true);
    for (std::size_t j = 0; j <= i; ++j) {
      if (norms[j] == 0) continue;
      gram[i * m + j] = gram[j * m + i] =
          ExactDot<Long>(problem, problem.matrices[j + 1], whole) / (norms[i] * norms[j]);
    }
    fill(problem.matrices[i + 1], false);
  }
  return gram;
}

// None where the F_i are dependent, as far as can be seen, or too many.
std::optional<Moved> MovedToTheConstraints(const Problem& problem,
                                           const std::vector<std::vector<double>>& dual) {
  const std::size_t m = problem.constraints();
  double elements = 0;
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const BlockElements& block : matrix)
      elements += static_cast<double>(block.elements.size());
  }
  constexpr std::size_t kMost = 1500;
  constexpr double kMostProducts = 1e9;  // of both some seconds
  if (m > kMost || static_cast<double>(m) * elements > kMostProducts) return std::nullopt;
  std::vector<Long> norms;
  for (std::size_t i = 1; i <= m; ++i) norms.push_back(NormOf(problem.matrices[i]));
  const std::vector<Long> gram = GramMatrix(problem, norms);
  // A bound of its least eigenvalue.
  constexpr Long kLeast = 1e-12L;
  Long least = 0.1L;
  while (least >= kLeast && !ExactCholesky(std::span<const Long>(gram), m, -least)) least /= 10;
  const auto factor = ExactCholesky(std::span<const Long>(gram), m, Long(0));
  if (least < kLeast || !factor) return std::nullopt;

  Moved moved = {.dual = {}, .left = 0};
  for (const std::vector<double>& block : dual) moved.dual.emplace_back(block.begin(), block.end());
  constexpr int kTimes = 3;
  for (int time = 0; time <= kTimes; ++time) {
    std::vector<Long> residual(m, 0);
    Long of_residual = 0;
    for (std::size_t i = 0; i < m; ++i) {
      if (norms[i] == 0) continue;
      const SparseMatrix& matrix = problem.matrices[i + 1];
      residual[i] = ExactDot<Long>(problem, matrix, moved.dual) / norms[i];
      const Long most = std::abs(residual[i]) + LostBy(problem, matrix, moved.dual) / norms[i];
      of_residual += most * most;
    }
    moved.left = std::sqrt(of_residual) / std::sqrt(least);
    if (time == kTimes) break;
    SolveByCholesky(*factor, m, residual);
    for (std::size_t i = 0; i < m; ++i) {
      if (norms[i] > 0)
        ExactAdd<Long>(problem, problem.matrices[i + 1], -residual[i] / norms[i], moved.dual);
    }
  }
  return moved;
}

// Is the exact matrix by `moved` positive semidefinite, and its product with F_0 above 0?
bool ProvesExactly(const Problem& problem, const Moved& moved) {
  const Long lost = 2 * moved.left * NormOf(problem.matrices[0]) +
                    LostBy(problem, problem.matrices[0], moved.dual);
  if (!(ExactDot<Long>(problem, problem.matrices[0], moved.dual) > lost)) return false;
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const std::vector<Long>& elements = moved.dual[l];
    const auto n = static_cast<std::size_t>(problem.blocks[l].size);
    if (problem.blocks[l].shape == Shape::kDiagonal) {
      if (*std::min_element(elements.begin(), elements.end()) < moved.left) return false;
      continue;
    }
    Long size = 0;
    for (const Long element : elements) size = std::max(size, std::abs(element));
    const Long of_roundings = 1e-18L * static_cast<Long>(n * n) * size;
    if (!ExactCholesky(std::span<const Long>(elements), n, -(moved.left + of_roundings))) {
      return false;
    }
  }
  return true;
}

// The rows and columns of a matrix that are not `gone`.
std::vector<double> Without(const std::vector<bool>& gone, const std::vector<double>& matrix) {
  std::vector<double> rest;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    for (std::size_t j = 0; j < gone.size(); ++j) {
      if (!gone[i] && !gone[j]) rest.push_back(matrix[i * gone.size() + j]);
    }
  }
  return rest;
}

// Is the matrix by x positive semidefinite, and c'x below 0, of an x near this one for which rows
// and their opposites are 0?
bool ProvesExactly(const Problem& problem, const std::vector<double>& x) {
  const OppositeRows opposite = OppositeRowsOf(problem);
  if (opposite.sums.empty()) return false;
  const auto moved = MovedToZeros(opposite, x);
  if (!moved) return false;
  Long objective = 0, sizes_of_objective = 0, squares_of_costs = 0, squares = 0;
  LongBlocks sum;
  for (const auto& [shape, size] : problem.blocks) {
    const auto rows = static_cast<std::size_t>(size);
    sum.emplace_back(shape == Shape::kDense ? rows * rows : rows, 0);
  }
  LongBlocks sizes = sum;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const Long cost = problem.costs[i];
    objective += cost * moved->x[i];
    sizes_of_objective += std::abs(cost * moved->x[i]);
    squares_of_costs += cost * cost;
    const Long norm = NormOf(problem.matrices[i + 1]);
    squares += norm * norm;
    ExactAdd<Long>(problem, problem.matrices[i + 1], moved->x[i], sum);
    // Also where x is 0 here, but not there.
    AddSizes(problem, problem.matrices[i + 1], std::abs(moved->x[i]) + moved->left, sizes);
  }
  const Long roundings = RoundingsOf(problem.constraints());
  const Long lost_of_objective =
      roundings * sizes_of_objective + moved->left * std::sqrt(squares_of_costs);
  if (!(objective + lost_of_objective < 0)) return false;
  const Long lost_by_move = moved->left * std::sqrt(squares);
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const Block& block = problem.blocks[l];
    Long lost = 0;
    std::vector<double> rounded(sum[l].begin(), sum[l].end());
    for (std::size_t k = 0; k < rounded.size(); ++k) {
      lost = std::max(lost, std::abs(sum[l][k] - rounded[k]) + roundings * sizes[l][k]);
    }
    lost = lost * block.size + lost_by_move;
    if (block.shape == Shape::kDense) {
      const std::vector<double> rest = Without(opposite.has[l], rounded);
      const auto size = static_cast<int>(std::lround(std::sqrt(rest.size())));
      if (size > 0 && !IsPositive(rest, {block.shape, size}, lost)) return false;
      continue;
    }
    for (std::size_t row = 0; row < rounded.size(); ++row) {
      const bool is_zero = opposite.has[l][row] || sizes[l][row] == 0;
      if (!is_zero && !(rounded[row] > lost)) return false;
    }
  }
  return true;
}

}  // namespace

// With s the shift and r the residual, both in units: where X = F_1 x_1 + ... - F_0 is positive
// semidefinite, 0 <= X.(Y + s I) = (F.Y).x - 1 + s tr X, so that 1 <= r |x| + s tr X.
InfeasibilityProof ProvePrimalInfeasible(const Problem& problem, const SolutionValues& claim) {
  const Long objective = ExactDot<Long>(problem, problem.matrices[0], claim.dual) -
                         LostBy(problem, problem.matrices[0], claim.dual);
  if (!(objective > 0) || !std::isfinite(objective)) return {};
  const Long constant = NormOf(problem.matrices[0]);
  Long residual = 0, shift = 0;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const SparseMatrix& matrix = problem.matrices[i + 1];
    if (matrix.empty()) continue;
    const Long error = (std::abs(ExactDot<Long>(problem, matrix, claim.dual)) +
                        LostBy(problem, matrix, claim.dual)) /
                       objective * constant / NormOf(matrix);
    residual += error * error;
  }
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    Long largest = 0;
    for (const double element : claim.dual[l]) {
      largest = std::max(largest, std::abs(static_cast<Long>(element)));
    }
    const bool is_dense = problem.blocks[l].shape == Shape::kDense;
    const Long of_factor =
        is_dense ? 1e-18L * static_cast<Long>(claim.dual[l].size()) * largest : 0;
    const Long needed = ShiftToPositive(claim.dual[l], problem.blocks[l]) + of_factor;
    shift = std::max(shift, needed / objective * constant);
  }
  residual = std::sqrt(residual);
  if (!std::isfinite(residual) || !std::isfinite(shift)) return {};
  const InfeasibilityProof bound = {.residual = Double(residual),
                                    .shift = Double(shift),
                                    .least_size = LeastSizeOf(std::max(residual, shift))};
  if (bound.least_size < kWorthMore || bound.IsProof()) return bound;
  const auto moved = MovedToTheConstraints(problem, claim.dual);
  if (!moved || !ProvesExactly(problem, *moved)) return bound;
  return kNoSolution;
}

// Where F.Y = c and Y is positive semidefinite, 0 <= (F_1 x_1 + ... + s I).Y = -1 + s tr Y.
InfeasibilityProof ProveDualInfeasible(const Problem& problem, const SolutionValues& claim) {
  Long objective = 0, sizes_of_objective = 0, unit = 0;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const Long cost = problem.costs[i];
    objective += cost * claim.x[i];
    sizes_of_objective += std::abs(cost * claim.x[i]);
    if (problem.matrices[i + 1].empty()) continue;
    unit = std::max(unit, std::abs(cost) / NormOf(problem.matrices[i + 1]));
  }
  const Long roundings = RoundingsOf(problem.constraints());
  objective += roundings * sizes_of_objective;
  if (!(objective < 0) || !std::isfinite(objective)) return {};
  LongBlocks sum;
  for (const auto& [shape, size] : problem.blocks) {
    const auto rows = static_cast<std::size_t>(size);
    sum.emplace_back(shape == Shape::kDense ? rows * rows : rows, 0);
  }
  LongBlocks sizes = sum;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const Long factor = -static_cast<Long>(claim.x[i]) / objective;
    ExactAdd<Long>(problem, problem.matrices[i + 1], factor, sum);
    AddSizes(problem, problem.matrices[i + 1], std::abs(factor), sizes);
  }
  Long shift = 0;
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    const std::vector<double> rounded(sum[l].begin(), sum[l].end());
    // An error of each element moves an eigenvalue by at most the largest, times the rows.
    Long lost = 0, largest = 0;
    for (std::size_t k = 0; k < rounded.size(); ++k) {
      lost = std::max(lost, std::abs(sum[l][k] - rounded[k]) + roundings * sizes[l][k]);
      largest = std::max(largest, sizes[l][k]);
    }
    if (largest == 0) continue;  // zeros, of which nothing was lost
    const bool is_dense = problem.blocks[l].shape == Shape::kDense;
    if (is_dense) lost *= problem.blocks[l].size;
    // Where it is positive definite by more than that, nothing is to be added.
    if (IsPositive(rounded, problem.blocks[l], lost)) continue;
    const Long of_factor = is_dense ? 1e-18L * static_cast<Long>(rounded.size()) * largest : 0;
    shift =
        std::max(shift, (ShiftToPositive(rounded, problem.blocks[l]) + lost + of_factor) * unit);
  }
  if (!std::isfinite(shift)) return {};
  const InfeasibilityProof bound = {
      .residual = 0, .shift = Double(shift), .least_size = LeastSizeOf(shift)};
  if (bound.least_size < kWorthMore || bound.IsProof()) return bound;
  return ProvesExactly(problem, claim.x) ? kNoSolution : bound;
}

}  // namespace sdpa
