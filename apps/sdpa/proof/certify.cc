#include "apps/sdpa/proof/certify.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/proof/exact.h"
#include "apps/sdpa/proof/positive.h"

namespace sdpa {
namespace {

using Long = long double;

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

Certificate Certify(const Problem& problem, const SolutionValues& claim) {
  return claim.low.x.empty() ? CertifyIn(problem, ClaimOf<Long>(claim))
                             : CertifyIn(problem, ClaimOf<DoubleDouble>(claim));
}

}  // namespace sdpa
