#include "apps/sdpa/certify.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "apps/sdpa/exact.h"
#include "apps/sdpa/linear/double_double.h"

namespace sdpa {
namespace {

using Long = long double;

double Double(Long value) { return static_cast<double>(value); }

using LongBlocks = BlocksOf<Long>;

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

bool HasCholeskyFactor(std::span<const double> matrix, std::size_t n, Long shift) {
  return ExactCholesky(matrix, n, shift).has_value();
}

// A guess of it, in doubles, which takes a tenth of the time.
bool SeemsToHaveCholeskyFactor(std::span<const double> matrix, std::size_t n, Long shift) {
  std::vector<double> rest(matrix.begin(), matrix.end());
  for (std::size_t i = 0; i < n; ++i) rest[i * n + i] += Double(shift);
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = rest[k * n + k];
    if (!(pivot > 0)) return false;
    const double* const row = &rest[k * n];
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = row[i] / pivot;
      if (factor == 0) continue;
      for (std::size_t j = i; j < n; ++j) rest[i * n + j] -= factor * row[j];
    }
  }
  return true;
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

// What a sum of so many terms may lose, at most, of the sum of their sizes.
Long RoundingsOf(std::size_t terms) { return 1e-18L * static_cast<Long>(terms + 2); }

// What ExactDot may lose; 0 where the processor says that it rounded nothing.
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

// values = (l l')^-1 values.
void SolveWith(const std::vector<Long>& l, std::size_t n, std::vector<Long>& values) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) values[i] -= l[i * n + k] * values[k];
    values[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    values[i] /= l[i * n + i];
    for (std::size_t k = 0; k < i; ++k) values[k] -= l[i * n + k] * values[i];
  }
}

// Are all eigenvalues above `least`, for certain?
bool IsPositive(std::span<const double> matrix, const Block& block, Long least) {
  if (block.shape == Shape::kDiagonal) {
    return *std::min_element(matrix.begin(), matrix.end()) > least;
  }
  Long size = 0;
  for (const double element : matrix) size = std::max(size, std::abs(static_cast<Long>(element)));
  const auto n = static_cast<std::size_t>(block.size);
  return std::isfinite(size) &&
         HasCholeskyFactor(matrix, n, -(least + 1e-18L * static_cast<Long>(n * n) * size));
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
    SolveWith(*factor, m, residual);
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

// The claim's numbers in Long.
template <typename Long>
struct Claim {
  std::vector<Long> x;
  BlocksOf<Long> slack, dual;
};

template <typename Long>
std::vector<Long> Whole(const std::vector<double>& high, const std::vector<double>& low) {
  std::vector<Long> numbers(high.begin(), high.end());
  for (std::size_t i = 0; i < low.size(); ++i) numbers[i] += Long(low[i]);
  return numbers;
}

template <typename Long>
Claim<Long> ClaimOf(const SolutionValues& values) {
  static const std::vector<double> none;
  Claim<Long> claim = {.x = Whole<Long>(values.x, values.low.x), .slack = {}, .dual = {}};
  for (std::size_t l = 0; l < values.slack.size(); ++l) {
    const bool has_low = l < values.low.slack.size();
    claim.slack.push_back(Whole<Long>(values.slack[l], has_low ? values.low.slack[l] : none));
    claim.dual.push_back(Whole<Long>(values.dual[l], has_low ? values.low.dual[l] : none));
  }
  return claim;
}

// As ShiftToPositive, of pairs of doubles.
DoubleDouble ShiftOf(const std::vector<DoubleDouble>& matrix, const Block& block) {
  DoubleDouble size = 0, least = 0;
  for (const DoubleDouble element : matrix) {
    if (!std::isfinite(element.high())) return std::numeric_limits<double>::infinity();
    size = std::max(size, MagnitudeOf(element));
    least = std::min(least, element);
  }
  if (block.shape == Shape::kDiagonal) return -least;
  const auto n = static_cast<std::size_t>(block.size);
  const auto is_enough = [&](DoubleDouble shift) {
    return ExactCholesky(std::span<const DoubleDouble>(matrix), n, shift).has_value();
  };
  if (size == DoubleDouble(0) || is_enough(0)) return 0;
  int too_small = -1, enough = 0;
  const auto of = [&](int exponent) { return size * std::ldexp(1e-34, exponent); };
  while (of(enough) <= size * static_cast<double>(2 * n)) ++enough;
  while (enough - too_small > 1) {
    const int middle = (too_small + enough) / 2;
    (is_enough(of(middle)) ? enough : too_small) = middle;
  }
  return of(enough);
}
Long ShiftOf(const std::vector<Long>& matrix, const Block& block) {
  // They are doubles.
  const std::vector<double> doubles(matrix.begin(), matrix.end());
  return ShiftToPositive(doubles, block);
}

template <typename Number>
Certificate CertifyIn(const Problem& problem, const Claim<Number>& claim) {
  using std::sqrt;
  const auto rounded = [](const Number& value) { return static_cast<double>(value); };
  Number primal(0), of_constraints(0), largest_cost(0);
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    const Number cost(problem.costs[i]);
    primal += cost * claim.x[i];
    const Number error = ExactDot<Number>(problem, problem.matrices[i + 1], claim.dual) - cost;
    of_constraints += error * error;
    largest_cost = std::max(largest_cost, MagnitudeOf(cost));
  }
  const Number dual = ExactDot<Number>(problem, problem.matrices[0], claim.dual);

  BlocksOf<Number> residuals = claim.slack;  // F_1 x_1 + ... - F_0 - X
  for (std::vector<Number>& block : residuals) {
    for (Number& element : block) element = Number(0) - element;
  }
  for (std::size_t i = 0; i < problem.matrices.size(); ++i) {
    ExactAdd<Number>(problem, problem.matrices[i], i == 0 ? Number(-1) : claim.x[i - 1], residuals);
  }
  Number largest_constant(0);
  for (const BlockElements& block : problem.matrices[0]) {
    for (const Element& element : block.elements) {
      largest_constant = std::max(largest_constant, MagnitudeOf(Number(element.value)));
    }
  }
  Number of_slack(0), products(0), slack_shift(0), dual_shift(0), rows(0);
  for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
    rows += Number(problem.blocks[l].size);
    for (const Number& element : residuals[l]) of_slack += element * element;
    for (std::size_t k = 0; k < claim.slack[l].size(); ++k) {
      products += claim.slack[l][k] * claim.dual[l][k];
    }
    slack_shift = std::max(slack_shift, ShiftOf(claim.slack[l], problem.blocks[l]));
    dual_shift = std::max(dual_shift, ShiftOf(claim.dual[l], problem.blocks[l]));
  }
  const Number objectives = Number(1) + MagnitudeOf(primal) + MagnitudeOf(dual);
  const Number of_costs = Number(1) + largest_cost, of_constants = Number(1) + largest_constant;
  return {.primal = rounded(primal),
          .dual = rounded(dual),
          .errors = {rounded(sqrt(of_constraints) / of_costs), rounded(dual_shift / of_costs),
                     rounded(sqrt(of_slack) / of_constants), rounded(slack_shift / of_constants),
                     rounded((primal - dual) / objectives), rounded(products / objectives)},
          .primal_residual = rounded(sqrt(of_slack)),
          .dual_residual = rounded(sqrt(of_constraints)),
          .mu = rounded(products / rows)};
}

}  // namespace

double Certificate::largest_error() const {
  double largest = 0;
  for (const double error : errors) {
    if (std::isnan(error)) return error;
    largest = std::max(largest, std::abs(error));
  }
  return largest;
}

long double ShiftToPositive(std::span<const double> matrix, const Block& block) {
  for (const double element : matrix) {
    if (!std::isfinite(element)) return std::numeric_limits<Long>::infinity();
  }
  if (block.shape == Shape::kDiagonal) {
    return std::max(0.0, -*std::min_element(matrix.begin(), matrix.end()));
  }
  const auto n = static_cast<std::size_t>(block.size);
  if (HasCholeskyFactor(matrix, n, 0)) return 0;
  Long size = 0;
  for (const double element : matrix) size = std::max(size, std::abs(static_cast<Long>(element)));
  if (size == 0) return 0;
  // n times the largest element is above all eigenvalues.
  int too_small = -1, enough = 0;
  const auto of = [&](int exponent) { return std::ldexp(1e-18L * size, exponent); };
  while (of(enough) <= static_cast<Long>(2 * n) * size) ++enough;
  const int most = enough;
  while (enough - too_small > 1) {
    const int middle = (too_small + enough) / 2;
    (SeemsToHaveCholeskyFactor(matrix, n, of(middle)) ? enough : too_small) = middle;
  }
  while (enough > 0 && HasCholeskyFactor(matrix, n, of(enough - 1))) --enough;
  while (enough < most && !HasCholeskyFactor(matrix, n, of(enough))) ++enough;
  return of(enough);
}

Certificate Certify(const Problem& problem, const SolutionValues& claim) {
  return claim.low.x.empty() ? CertifyIn(problem, ClaimOf<Long>(claim))
                             : CertifyIn(problem, ClaimOf<DoubleDouble>(claim));
}

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
                                    .least_size = Double(1 / std::max(residual, shift))};
  constexpr double kWorthMore = 1e6;
  if (bound.least_size < kWorthMore || bound.IsProof()) return bound;
  const auto moved = MovedToTheConstraints(problem, claim.dual);
  if (!moved || !ProvesExactly(problem, *moved)) return bound;
  return {.residual = 0, .shift = 0, .least_size = std::numeric_limits<double>::infinity()};
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
  return {.residual = 0, .shift = Double(shift), .least_size = Double(1 / shift)};
}

}  // namespace sdpa
