#include "apps/sdpa/solver/interior_point.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "apps/sdpa/solver/schur.h"

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda,
             double* b, const int* ldb, int* info);
}

namespace sdpa {
namespace {

// A value.
struct Direction {
  std::vector<double> x;
  BlockMatrix slack, dual;
};

double LargestNumber(const Problem& problem) {
  double largest = 1;
  for (const double cost : problem.costs) largest = std::max(largest, std::abs(cost));
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const BlockElements& block : matrix) {
      for (const Element& element : block.elements) {
        largest = std::max(largest, std::abs(element.value));
      }
    }
  }
  return largest;
}

// F_1 x_1 + ... + F_m x_m.
BlockMatrix Combine(const Problem& problem, const std::vector<double>& x) {
  BlockMatrix sum(problem.blocks);
  for (std::size_t i = 0; i < x.size(); ++i) sum.Add(x[i], problem.matrices[i + 1]);
  return sum;
}

// One iteration's linear equations.
class Equations {
 public:
  Equations(const Problem& problem, const Point& point, BlockMatrix x_inverse, BlockMatrix residual)
      : problem_(problem),
        point_(point),
        x_inverse_(std::move(x_inverse)),
        residual_(std::move(residual)),
        matrix_(SchurMatrix(problem, point.dual, x_inverse_)) {}

  // False where B is not positive definite, as far as can be seen.
  bool Factor() {
    const int m = static_cast<int>(problem_.constraints());
    int info = 0;
    dpotrf_("U", &m, matrix_.data(), &m, &info);
    return info == 0;
  }

  // The direction to X Y = `target` I, where `second_order` is dX dY of a direction that was found
  // before, or null.
  Direction Solve(double target, const BlockMatrix* second_order) const {
    // dY = target X^-1 - Y - X^-1 (dX Y + second_order), made symmetric, and dX = residual + sum of
    // F_j dx_j: what of dY does not depend on dx is `fixed`.
    BlockMatrix mixed = Product(residual_, point_.dual);
    if (second_order != nullptr) mixed.Add(1, *second_order);
    BlockMatrix fixed = SymmetricPart(Product(x_inverse_, mixed));
    fixed.Scale(-1);
    fixed.Add(target, x_inverse_);

    Direction direction;
    const auto m = problem_.constraints();
    direction.x.resize(m);
    for (std::size_t i = 0; i < m; ++i) {
      direction.x[i] = Dot(problem_.matrices[i + 1], fixed) - problem_.costs[i];
    }
    const int rows = static_cast<int>(m), one = 1;
    int info = 0;
    dpotrs_("U", &rows, &one, matrix_.data(), &rows, direction.x.data(), &rows, &info);

    direction.slack = Combine(problem_, direction.x);
    BlockMatrix moved = Product(direction.slack, point_.dual);
    direction.slack.Add(1, residual_);
    direction.dual = SymmetricPart(Product(x_inverse_, moved));
    direction.dual.Scale(-1);
    direction.dual.Add(1, fixed);
    direction.dual.Add(-1, point_.dual);
    return direction;
  }

 private:
  const Problem& problem_;
  const Point& point_;
  BlockMatrix x_inverse_;
  BlockMatrix residual_;  // F_1 x_1 + ... - F_0 - X
  std::vector<double> matrix_;
};

BlockMatrix Residual(const Problem& problem, const Point& point) {
  BlockMatrix residual = Combine(problem, point.x);
  residual.Add(-1, problem.matrices[0]);
  residual.Add(-1, point.slack);
  return residual;
}

}  // namespace

Quality QualityOf(const Problem& problem, const Point& point) {
  Quality quality;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    quality.primal += problem.costs[i] * point.x[i];
    quality.dual_error = std::max(
        quality.dual_error, std::abs(Dot(problem.matrices[i + 1], point.dual) - problem.costs[i]));
  }
  quality.dual = Dot(problem.matrices[0], point.dual);
  quality.primal_error = Residual(problem, point).LargestAbsolute();
  const double size = std::max(1.0, (std::abs(quality.primal) + std::abs(quality.dual)) / 2);
  quality.gap = std::abs(quality.primal - quality.dual) / size;
  return quality;
}

absl::StatusOr<Solution> Solve(const Problem& problem, const SolverOptions& options) {
  openblas_set_num_threads(1);
  const double largest = LargestNumber(problem);
  const double start = std::max(options.start, 10 * largest);
  Solution solution;
  Point& point = solution.point;
  point.x.assign(problem.constraints(), 0);
  point.slack = point.dual = BlockMatrix(problem.blocks);
  point.slack.AddToDiagonal(start);
  point.dual.AddToDiagonal(start);
  const auto rows = static_cast<double>(point.slack.rows());

  for (int number = 0; number <= options.most_iterations; ++number) {
    const double mu = Dot(point.slack, point.dual) / rows;
    solution.quality = QualityOf(problem, point);
    solution.iterations = number;
    const Quality& quality = solution.quality;
    const bool is_primal_feasible = quality.primal_error <= options.tolerance * largest;
    const bool is_dual_feasible = quality.dual_error <= options.tolerance * largest;
    if (is_primal_feasible && is_dual_feasible && quality.gap <= options.tolerance) {
      solution.phase = Phase::kOptimal;
      break;
    }
    if (number == options.most_iterations) break;

    const auto slack = CholeskyFactor::Of(point.slack), dual = CholeskyFactor::Of(point.dual);
    if (!slack || !dual) break;
    Equations equations(problem, point, slack->Inverse(), Residual(problem, point));
    if (!equations.Factor()) break;

    // The predictor: how far down would mu come?
    const Direction predictor = equations.Solve(0, nullptr);
    const double primal_try = slack->LargestStep(predictor.slack, 1);
    const double dual_try = dual->LargestStep(predictor.dual, 1);
    BlockMatrix tried = point.slack, tried_dual = point.dual;
    tried.Add(primal_try, predictor.slack);
    tried_dual.Add(dual_try, predictor.dual);
    const double ratio = std::max(0.0, Dot(tried, tried_dual) / rows / mu);
    const bool is_feasible = is_primal_feasible && is_dual_feasible;
    const double beta = std::clamp(ratio * ratio, is_feasible ? 0.01 : 0.1, 1.0);

    const BlockMatrix second_order = Product(predictor.slack, predictor.dual);
    const Direction direction = equations.Solve(beta * mu, &second_order);
    const double fraction = options.step_fraction;
    Iteration iteration = {.number = number + 1, .mu = mu, .quality = quality};
    iteration.primal_step =
        std::min(1.0, fraction * slack->LargestStep(direction.slack, 1 / fraction));
    iteration.dual_step = std::min(1.0, fraction * dual->LargestStep(direction.dual, 1 / fraction));
    if (options.progress) options.progress(iteration);
    if (!(iteration.primal_step > 1e-8) && !(iteration.dual_step > 1e-8)) break;

    for (std::size_t i = 0; i < point.x.size(); ++i) {
      point.x[i] += iteration.primal_step * direction.x[i];
    }
    point.slack.Add(iteration.primal_step, direction.slack);
    point.dual.Add(iteration.dual_step, direction.dual);
  }
  return solution;
}

}  // namespace sdpa
