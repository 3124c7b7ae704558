#include "apps/sdpa/reduce/undo_equalities.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "apps/sdpa/interior_point/norms.h"

namespace sdpa {
namespace {

template <typename Real>
Real Rounded(const DoubleDouble& value) {
  if constexpr (std::is_same_v<Real, double>) {
    return static_cast<double>(value);
  } else {
    return value;
  }
}

std::size_t IndexOf(const Block& block, int row, int column) {
  const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
  return block.shape == Shape::kDiagonal ? r : r * static_cast<std::size_t>(block.size) + c;
}

template <typename Real>
Real& DiagonalOf(BlockMatrix<Real>& matrix, const RowPlace& place) {
  const auto l = static_cast<std::size_t>(place.block);
  return matrix.elements(l)[IndexOf(matrix.block(l), place.row, place.row)];
}

// In pairs of doubles.
template <typename Real>
DoubleDouble ExactDot(const SparseMatrix& matrix, const BlockMatrix<Real>& with) {
  DoubleDouble sum = 0;
  for (const auto& [number, elements] : matrix) {
    const auto l = static_cast<std::size_t>(number);
    const std::span<const Real> of_block = with.elements(l);
    for (const auto [row, column, value] : elements) {
      DoubleDouble other(of_block[IndexOf(with.block(l), row, column)]);
      if (row != column) other += DoubleDouble(of_block[IndexOf(with.block(l), column, row)]);
      sum += value * other;
    }
  }
  return sum;
}

// Calls body(index, reduced block, index there, scale) for the elements of a block that are kept.
template <typename Body>
void ForEachKept(const Equalities& equalities, std::size_t l, const Block& block,
                 const Body& body) {
  const std::vector<RowPlace>& rows = equalities.rows()[l];
  const std::vector<Block>& reduced = equalities.reduced().blocks;
  const int size = static_cast<int>(rows.size());
  for (int i = 0; i < size; ++i) {
    const RowPlace& row = rows[static_cast<std::size_t>(i)];
    if (row.block < 0) continue;
    const auto number = static_cast<std::size_t>(row.block);
    if (reduced[number].shape == Shape::kDiagonal) {
      const auto of_reduced = static_cast<std::size_t>(row.row);
      body(IndexOf(block, i, i), number, of_reduced, equalities.scales()[number][of_reduced]);
      continue;
    }
    for (int j = 0; j < size; ++j) {
      const RowPlace& column = rows[static_cast<std::size_t>(j)];
      if (column.block != row.block) continue;
      body(IndexOf(block, i, j), number, IndexOf(reduced[number], row.row, column.row), 1.0);
    }
  }
}

// X and Y in the rows that are kept.
template <typename Real>
void CopyKept(const Equalities& equalities, const Point<Real>& reduced, Point<Real>& whole) {
  const Layout& layout = whole.slack.layout();
  for (std::size_t l = 0; l < layout.blocks.size(); ++l) {
    const auto slack = whole.slack.elements(l), dual = whole.dual.elements(l);
    ForEachKept(equalities, l, layout.blocks[l],
                [&](std::size_t index, std::size_t block, std::size_t of_reduced, double scale) {
                  slack[index] = reduced.slack.elements(block)[of_reduced] * Real(1 / scale);
                  dual[index] = reduced.dual.elements(block)[of_reduced] * Real(scale);
                });
  }
}

// The x that are gone, by their equalities; of a direction by the equalities without constants.
template <typename Real>
std::vector<Real> WholeX(const Equalities& equalities, std::size_t constraints, bool is_direction,
                         const std::vector<Real>& reduced) {
  std::vector<Real> x(constraints, Real(0));
  for (std::size_t i = 0; i < reduced.size(); ++i) x[equalities.constraints()[i]] = reduced[i];
  const auto& steps = equalities.steps();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    DoubleDouble sum = is_direction ? DoubleDouble(0) : step->constant;
    for (const auto& [constraint, factor] : step->terms) {
      sum -= factor * DoubleDouble(x[constraint]);
    }
    x[step->constraint] = Rounded<Real>(sum / step->pivot);
  }
  return x;
}

// X in the rows that are dropped: 0 or more, but for roundings.
template <typename Real>
void CompleteSlack(const Equalities& equalities, const Problem& problem, Point<Real>& point) {
  std::vector<std::vector<DoubleDouble>> sums;
  for (const Block& block : problem.blocks) {
    sums.emplace_back(static_cast<std::size_t>(block.size), 0);
  }
  for (std::size_t i = 0; i < problem.matrices.size(); ++i) {
    const DoubleDouble factor = i == 0 ? DoubleDouble(-1) : DoubleDouble(point.x[i - 1]);
    for (const auto& [block, elements] : problem.matrices[i]) {
      const auto l = static_cast<std::size_t>(block);
      for (const auto [row, column, value] : elements) {
        if (row == column) sums[l][static_cast<std::size_t>(row)] += factor * value;
      }
    }
  }
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    for (std::size_t row = 0; row < sums[l].size(); ++row) {
      if (equalities.rows()[l][row].block >= 0) continue;
      DiagonalOf(point.slack, {static_cast<int>(l), static_cast<int>(row)}) =
          std::max(Real(0), Rounded<Real>(sums[l][row]));
    }
  }
}

// Of a proof by Y, which has to stand roundings: all rows that are dropped a little above 0, by so
// little that F_0.Y, which is `objective`, stays above 0.
template <typename Real>
void RaiseDropped(const Equalities& equalities, const Problem& problem, double objective,
                  BlockMatrix<Real>& dual) {
  constexpr double kOfLargest = 1e-9, kOfObjective = 1e-3;
  const double little = kOfLargest * LargestOf(dual);
  std::vector<std::vector<double>> constants;
  for (const Block& block : problem.blocks) {
    constants.emplace_back(static_cast<std::size_t>(block.size), 0);
  }
  double rows = 0;
  for (const auto& [block, elements] : problem.matrices[0]) {
    for (const auto [row, column, value] : elements) {
      if (row == column)
        constants[static_cast<std::size_t>(block)][static_cast<std::size_t>(row)] = value;
    }
  }
  for (const auto& of_block : constants) rows += static_cast<double>(of_block.size());
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    for (std::size_t row = 0; row < constants[l].size(); ++row) {
      if (equalities.rows()[l][row].block >= 0) continue;
      const double constant = std::abs(constants[l][row]);
      const double most = kOfObjective * objective / rows;
      DiagonalOf(dual, {static_cast<int>(l), static_cast<int>(row)}) =
          constant * little > most ? most / constant : little;
    }
  }
}

// Y in the rows of the equalities: so that the constraints whose x is gone are met.
template <typename Real>
void CompleteDual(const Equalities& equalities, const Problem& problem, bool is_direction,
                  BlockMatrix<Real>& dual) {
  const auto& steps = equalities.steps();
  std::vector<DoubleDouble> rest(problem.constraints(), 0);  // that the equalities are to give
  for (const EliminationStep& step : steps) {
    const std::size_t k = step.constraint;
    const double cost = is_direction ? 0 : problem.costs[k];
    rest[k] = DoubleDouble(cost) - ExactDot(problem.matrices[k + 1], dual);
  }
  // Of the rows of the steps, and then of the equalities as they stand in the problem.
  std::vector<DoubleDouble> differences;
  for (const EliminationStep& step : steps) {
    const DoubleDouble difference = rest[step.constraint] / step.pivot;
    for (const auto& [constraint, factor] : step.terms) rest[constraint] -= difference * factor;
    differences.push_back(difference);
  }
  for (std::size_t s = steps.size(); s-- > 0;) {
    for (const auto& [earlier, factor] : steps[s].earlier) {
      differences[earlier] -= factor * differences[s];
    }
    const Equality& equality = equalities.equalities()[steps[s].equality];
    const Equality::Member& member =
        equality.members[differences[s] > DoubleDouble(0) ? equality.above : equality.below];
    DiagonalOf(dual, member.place) += Rounded<Real>(differences[s] / member.factor);
  }
}

double LargestOf(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  return largest;
}

}  // namespace

template <typename Real>
Point<Real> WholePoint(const Equalities& equalities, const Problem& problem, Phase phase,
                       const Point<Real>& reduced) {
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const bool is_proof_by_dual = phase == Phase::kPrimalInfeasible,
             is_proof_by_x = phase == Phase::kDualInfeasible;
  Point<Real> whole = {.x = WholeX(equalities, problem.constraints(), is_proof_by_x, reduced.x),
                       .slack = BlockMatrix<Real>(layout),
                       .dual = BlockMatrix<Real>(layout)};
  CopyKept(equalities, reduced, whole);
  if (!is_proof_by_x) CompleteSlack(equalities, problem, whole);
  if (is_proof_by_dual) {
    const DoubleDouble objective = ExactDot(equalities.reduced().matrices[0], reduced.dual);
    RaiseDropped(equalities, problem, static_cast<double>(objective), whole.dual);
  }
  CompleteDual(equalities, problem, is_proof_by_dual, whole.dual);
  return whole;
}

Quality WholeQuality(const Equalities& equalities, const Problem& problem, const Quality& reduced) {
  Quality whole = reduced;
  const auto ratio = [](double of_reduced, double of_whole) {
    return (1 + of_reduced) / (1 + of_whole);
  };
  const Problem& inner = equalities.reduced();
  double larger = 1;  // that an error of X is in a row at most
  for (const std::vector<double>& of_block : equalities.scales()) {
    for (const double scale : of_block) larger = std::max(larger, 1 / scale);
  }
  whole.primal_error *=
      larger * ratio(LargestOf(inner.matrices[0]), LargestOf(problem.matrices[0]));
  whole.dual_error *= ratio(LargestOf(inner.costs), LargestOf(problem.costs));
  whole.primal += equalities.objective();
  whole.dual += equalities.objective();
  const double times = ratio(std::abs(reduced.primal) + std::abs(reduced.dual),
                             std::abs(whole.primal) + std::abs(whole.dual));
  whole.gap *= times;
  whole.product *= times;
  return whole;
}

template <typename Real>
double PrimalErrorOf(const Problem& problem, const Point<Real>& point) {
  BlockMatrix<Real> residual = point.slack;
  residual.Scale(Real(-1));
  residual.Add(Real(-1), problem.matrices[0]);
  for (std::size_t i = 0; i < point.x.size(); ++i) {
    residual.Add(point.x[i], problem.matrices[i + 1]);
  }
  return std::sqrt(static_cast<double>(Dot(residual, residual))) /
         (1 + LargestOf(problem.matrices[0]));
}

SolutionValues ReducedValues(const Equalities& equalities, const Problem& problem,
                             const SolutionValues& whole) {
  SolutionValues reduced;
  for (const std::size_t constraint : equalities.constraints()) {
    reduced.x.push_back(whole.x[constraint]);
  }
  const std::vector<Block>& blocks = equalities.reduced().blocks;
  for (const Block& block : blocks) {
    const auto size = static_cast<std::size_t>(block.size);
    const std::size_t elements = block.shape == Shape::kDense ? size * size : size;
    reduced.slack.emplace_back(elements, 0);
    reduced.dual.emplace_back(elements, 0);
  }
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    ForEachKept(equalities, l, problem.blocks[l],
                [&](std::size_t index, std::size_t block, std::size_t of_reduced, double scale) {
                  reduced.slack[block][of_reduced] = whole.slack[l][index] * scale;
                  reduced.dual[block][of_reduced] = whole.dual[l][index] / scale;
                });
  }
  return reduced;
}

template Point<double> WholePoint(const Equalities& equalities, const Problem& problem, Phase phase,
                                  const Point<double>& reduced);
template Point<DoubleDouble> WholePoint(const Equalities& equalities, const Problem& problem,
                                        Phase phase, const Point<DoubleDouble>& reduced);
template double PrimalErrorOf(const Problem& problem, const Point<double>& point);
template double PrimalErrorOf(const Problem& problem, const Point<DoubleDouble>& point);

}  // namespace sdpa
