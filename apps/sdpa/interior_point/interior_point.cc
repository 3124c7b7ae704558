#include "apps/sdpa/interior_point/interior_point.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/elements/terms.h"
#include "apps/sdpa/interior_point/constraint_order.h"
#include "apps/sdpa/interior_point/initial_point.h"
#include "apps/sdpa/interior_point/line_search.h"
#include "apps/sdpa/interior_point/newton_system.h"
#include "apps/sdpa/interior_point/norms.h"
#include "apps/sdpa/interior_point/rules.h"
#include "apps/sdpa/interior_point/short_products.h"
#include "apps/sdpa/linear/aggregate.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/schur/make.h"

namespace sdpa {
namespace {

// A value: a search direction, and how long the steps of X and Y along it are.
template <typename Real>
struct Step {
  SearchDirection<Real> direction;
  double primal_length = 0, dual_length = 0;

  double area() const { return primal_length * dual_length; }
};

// A resource: a run of the method.
template <typename Real>
class InteriorPoint {
 public:
  InteriorPoint(const Problem& problem, const SolverOptions& options, SchurComplement<Real>& schur,
                std::shared_ptr<const Layout> layout)
      : problem_(problem),
        options_(options),
        schur_(schur),
        layout_(std::move(layout)),
        norms_(problem),
        aggregate_(problem, *layout_),
        short_products_(problem, layout_, kRounding),
        corrects_again_(!schur.is_sparse() && IsWorthASecondCorrector(problem)) {}

  absl::StatusOr<Solution<Real>> Solve();

 private:
  void Initialize(const SolutionValues* warm);
  bool HasWarmStartFailed(bool has_moved);
  void UpdateResiduals();
  void UpdateProofErrors();
  bool Terminates();
  bool IsOutOfIterations();
  absl::StatusOr<bool> TakeStep();
  Step<Real> PredictAndCorrect(const NewtonSystem<Real>& system) const;
  Step<Real> Correct(const NewtonSystem<Real>& system, const SearchDirection<Real>& before,
                     double kept, double centering, double fraction,
                     BlockMatrix<Real>& second_order) const;
  double ProductAfter(const SearchDirection<Real>& direction, double primal_length,
                      double dual_length) const;
  // Of X and Y, as CholeskyFactor's.
  std::pair<double, double> StepsToBoundary(const SearchDirection<Real>& direction,
                                            double most) const;
  static constexpr Rounding kRounding =
      std::is_same_v<Real, double> ? Rounding::kLastBits : Rounding::kNone;

  const Problem& problem_;
  const SolverOptions& options_;
  SchurComplement<Real>& schur_;
  const std::shared_ptr<const Layout> layout_;
  const Norms norms_;
  const Aggregate aggregate_;
  const ShortProducts short_products_;
  const bool corrects_again_;

  Point<Real> point_;
  std::optional<CholeskyFactor<Real>> slack_, dual_;  // of the point
  BlockMatrix<Real> primal_residual_;                 // F_1 x_1 + ... - F_0 - X
  std::vector<Real> dual_residual_;                   // F.Y - c
  // X is F_1 x_1 + ... - F_0, but for roundings, which it keeps: they do no harm, but to find X's
  // small eigenvalues as differences of large numbers would.
  bool is_primal_feasible_ = false;
  bool is_far_inside_ = false;  // X and Y are multiples of I
  bool are_dependent_ = false;  // constraints, at that point
  bool is_on_trial_ = false;    // a warm start, which may be let go
  double longest_step_ = 0;
  Iteration now_;
  ProofErrors proof_;
  Solution<Real> best_;
  ProgressMonitor monitor_;
};

// At `warm`, or, where that is null or says nothing of the problem, far inside the cone.
template <typename Real>
void InteriorPoint<Real>::Initialize(const SolutionValues* warm) {
  point_ = warm != nullptr
               ? PointOf<Real>(layout_, *warm)
               : InitialPoint<Real>(layout_, norms_, problem_.constraints(), options_.start);
  // A direction of X has elements there only.
  aggregate_.DropOthers(point_.slack);
  if (warm != nullptr && !options_.resumes) {
    UpdateResiduals();
    if (IsForeign(now_.quality)) return Initialize(nullptr);
    MoveInside(now_.quality, point_);
  }
  is_far_inside_ = warm == nullptr;
  is_on_trial_ = warm != nullptr && !options_.resumes;
  is_primal_feasible_ = false;
  monitor_ = ProgressMonitor();
  slack_ = MakePositiveDefinite(point_.slack);
  dual_ = MakePositiveDefinite(point_.dual);
  UpdateResiduals();
}

// Does the given point lead nowhere? All steps from there were short, or none could be made.
template <typename Real>
bool InteriorPoint<Real>::HasWarmStartFailed(bool has_moved) {
  constexpr int kTrial = 2;
  constexpr double kShort = 0.01;
  longest_step_ = std::max({longest_step_, now_.primal_step, now_.dual_step});
  const bool is_short = !has_moved || (now_.number == kTrial && longest_step_ < kShort);
  return is_on_trial_ && now_.number <= kTrial && is_short;
}

// Of the point: residuals, objectives, and what Quality says.
template <typename Real>
void InteriorPoint<Real>::UpdateResiduals() {
  Quality& quality = now_.quality;
  Real primal(0);
  for (std::size_t i = 0; i < point_.x.size(); ++i) primal += problem_.costs[i] * point_.x[i];
  quality.primal = static_cast<double>(primal);
  const Real dual = Dot(problem_.matrices[0], point_.dual);
  quality.dual = static_cast<double>(dual);
  dual_residual_ = DualResidual(problem_, point_.dual);
  quality.dual_error = NormOf(dual_residual_) / (1 + norms_.largest_cost);
  primal_residual_ = Combine(problem_, layout_, point_.x);
  primal_residual_.Add(Real(-1), problem_.matrices[0]);
  primal_residual_.Add(Real(-1), point_.slack);
  quality.primal_error = std::sqrt(static_cast<double>(Dot(primal_residual_, primal_residual_))) /
                         (1 + norms_.largest_constant);
  const double objectives = 1 + std::abs(quality.primal) + std::abs(quality.dual);
  const auto product = static_cast<double>(Dot(point_.slack, point_.dual));
  quality.gap = std::abs(static_cast<double>(primal - dual)) / objectives;
  quality.product = product / objectives;
  quality.mu = product / static_cast<double>(layout_->rows);
  UpdateProofErrors();
  // The roundings of a large X may be too much for a solution.
  constexpr double kRoundings = std::is_same_v<Real, double> ? 1e-12 : 1e-28, kHarmless = 0.1;
  is_primal_feasible_ =
      quality.primal_error <= kRoundings ||
      (is_primal_feasible_ && quality.primal_error <= kHarmless * options_.tolerance);
}

template <typename Real>
void InteriorPoint<Real>::UpdateProofErrors() {
  const Quality& quality = now_.quality;
  double squares = 0;
  for (std::size_t i = 0; i < dual_residual_.size(); ++i) {
    // F_i.Y and what is lost of it where c_i is larger.
    constexpr double kRounding = 1e-15;
    const double product = std::abs(static_cast<double>(dual_residual_[i] + problem_.costs[i])) +
                           kRounding * std::abs(problem_.costs[i]);
    const double value = product / quality.dual * norms_.x_units[i];
    squares += value * value;
  }
  // X is positive semidefinite, so that F_1 x_1 + ... is less than it by no more than this.
  const double of_slack = quality.primal_error * (1 + norms_.largest_constant) + norms_.constant;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const bool is_by_dual = quality.dual > 0 && std::isfinite(quality.dual);
  proof_ = {.by_dual = is_by_dual ? std::sqrt(squares) : kNone,
            .by_x = quality.primal < 0 ? of_slack * norms_.y_unit / -quality.primal : kNone};
}

// True at the end, whose phase and point are best_'s then.
template <typename Real>
bool InteriorPoint<Real>::Terminates() {
  const Quality& quality = now_.quality;
  if (now_.number == 0 || quality.largest_error() < best_.quality.largest_error()) {
    best_.point = point_;
    best_.quality = quality;
  }
  const std::optional<Phase> end =
      TerminationOf(quality, proof_, options_.tolerance, now_.primal_step, now_.dual_step);
  if (!end) {
    const bool has_progress = monitor_.HasProgress(
        now_.number, {quality.largest_error(), quality.primal_error, quality.dual_error, quality.mu,
                      proof_.by_dual, proof_.by_x});
    return !has_progress || IsOutOfIterations();
  }
  best_.phase = *end;
  constexpr double kReducedAccuracy = 1e-4;
  if (*end != Phase::kOptimal && best_.quality.largest_error() < kReducedAccuracy) {
    best_.nearest = std::move(best_.point);
  }
  best_.point = point_;
  best_.quality = quality;
  return true;
}

// Or stopped, from outside.
template <typename Real>
bool InteriorPoint<Real>::IsOutOfIterations() {
  if (now_.number >= options_.most_iterations) {
    best_.phase = Phase::kTooManyIterations;
    return true;
  }
  if (!options_.stops || !options_.stops()) return false;
  best_.phase = Phase::kStopped;
  return true;
}

template <typename Real>
std::pair<double, double> InteriorPoint<Real>::StepsToBoundary(
    const SearchDirection<Real>& direction, double most) const {
  std::pair<double, double> steps;
  InParallel([&] { steps.first = slack_->LargestStep(direction.slack, most); },
             [&] { steps.second = dual_->LargestStep(direction.dual, most); });
  return steps;
}

// (X + a dX).(Y + b dY), by its parts.
template <typename Real>
double InteriorPoint<Real>::ProductAfter(const SearchDirection<Real>& direction,
                                         double primal_length, double dual_length) const {
  const double rows = static_cast<double>(layout_->rows);
  return now_.quality.mu * rows +
         primal_length * static_cast<double>(Dot(direction.slack, point_.dual)) +
         dual_length * static_cast<double>(Dot(point_.slack, direction.dual)) +
         primal_length * dual_length * static_cast<double>(Dot(direction.slack, direction.dual));
}

// Mehrotra's predictor and corrector, of which there may be two.
template <typename Real>
Step<Real> InteriorPoint<Real>::PredictAndCorrect(const NewtonSystem<Real>& system) const {
  // The predictor: how far down would mu come?
  const SearchDirection<Real> predictor = system.Solve(Real(0), Real(0), nullptr, 1);
  const auto [primal_most, dual_most] = StepsToBoundary(predictor, 2);
  const double primal_length = std::min(1.0, 0.98 * primal_most);
  const double dual_length = std::min(1.0, 0.98 * dual_most);
  const double product = ProductAfter(predictor, primal_length, dual_length);
  const double shorter = std::min(primal_length, dual_length);
  const bool is_feasible = now_.quality.primal_error <= options_.tolerance &&
                           now_.quality.dual_error <= options_.tolerance;
  const double rows = static_cast<double>(layout_->rows);
  const double centering =
      CenteringParameter(product / rows / now_.quality.mu, shorter, is_feasible);
  const double fraction = FractionToBoundary(shorter);

  auto second_order = BlockMatrix<Real>::Unset(layout_);
  Step<Real> step = Correct(system, predictor, 0, centering, fraction, second_order);
  if (corrects_again_) {
    Step<Real> again =
        Correct(system, step.direction, centering, centering, fraction, second_order);
    if (again.area() > step.area()) step = std::move(again);
  }
  return step;
}

// The corrector, by the second-order term of the direction `before`, which was found with this
// `kept`. `second_order`: memory for that term.
template <typename Real>
Step<Real> InteriorPoint<Real>::Correct(const NewtonSystem<Real>& system,
                                        const SearchDirection<Real>& before, double kept,
                                        double centering, double fraction,
                                        BlockMatrix<Real>& second_order) const {
  system.SecondOrderTerm(before, Real(kept), second_order);
  const double refined = 0.01 * options_.tolerance;
  // The residuals fall as mu does: along the path of points on which they are in proportion to it,
  // and which there is also where no point inside meets the constraints.
  Step<Real> step = {.direction = system.Solve(Real(centering * now_.quality.mu), Real(centering),
                                               &second_order, refined)};
  const auto [primal_most, dual_most] = StepsToBoundary(step.direction, 1.2);
  step.primal_length = std::min(1.0, fraction * primal_most);
  step.dual_length = std::min(1.0, fraction * dual_most);
  return step;
}

// False where no step can be taken; the point is as it was then.
template <typename Real>
absl::StatusOr<bool> InteriorPoint<Real>::TakeStep() {
  now_.primal_step = now_.dual_step = 0;
  if (!slack_ || !dual_) return false;  // it begins with numbers that nothing makes positive
  const BlockMatrix<Real> x_inverse = slack_->Inverse();
  NewtonSystem<Real> system(problem_, aggregate_, short_products_, point_, x_inverse,
                            is_primal_feasible_ ? nullptr : &primal_residual_, dual_residual_,
                            now_.quality.mu, schur_);
  absl::Status factored = system.Factor(are_dependent_);
  // A small pivot says it of the problem there.
  if (factored.ok() && is_far_inside_ && system.AreDependent()) {
    are_dependent_ = true;
    factored = system.Factor(are_dependent_);
  }
  if (absl::IsFailedPrecondition(factored)) return false;
  if (!factored.ok()) return factored;

  Step<Real> step = PredictAndCorrect(system);
  std::optional<Factored<Real>> slack, dual;
  InParallel([&] { slack = Backtrack(step.primal_length, step.direction.slack, point_.slack); },
             [&] { dual = Backtrack(step.dual_length, step.direction.dual, point_.dual); });
  if (!slack || !dual) return false;
  for (std::size_t i = 0; i < point_.x.size(); ++i) {
    point_.x[i] += Real(step.primal_length) * step.direction.x[i];
  }
  point_.slack = std::move(slack->matrix);
  slack_ = std::move(slack->factor);
  point_.dual = std::move(dual->matrix);
  dual_ = std::move(dual->factor);
  now_.primal_step = step.primal_length;
  now_.dual_step = step.dual_length;
  is_far_inside_ = false;
  return true;
}

template <typename Real>
absl::StatusOr<Solution<Real>> InteriorPoint<Real>::Solve() {
  for (Initialize(options_.initial); !Terminates();) {
    const absl::StatusOr<bool> has_moved = TakeStep();
    if (!has_moved.ok()) return has_moved.status();
    ++now_.number;
    if (*has_moved) UpdateResiduals();
    if (options_.progress) {
      const absl::Status shown = options_.progress(now_, [&] { return ValuesOf(point_); });
      if (!shown.ok()) return shown;
    }
    if (HasWarmStartFailed(*has_moved)) {
      Initialize(nullptr);
    } else if (!*has_moved) {
      break;
    }
  }
  best_.iterations = now_.number;
  best_.seconds = schur_.seconds();
  layout_->template spares<Real>().Free();
  return std::move(best_);
}

}  // namespace

template <typename Real>
absl::StatusOr<Solution<Real>> Solve(taskrt::Runtime& runtime, const Problem& problem,
                                     const SolverOptions& options) {
  UseOneThread();
  const ConstraintOrder order(problem);
  const Problem ordered = order.Inward(problem);
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const Columns columns(ordered, layout,
                        std::is_same_v<Real, double> ? Rounding::kLastBits : Rounding::kNone);
  const auto schur =
      MakeSchur<Real>(runtime, columns, options.schur, options.most_bytes, options.cuda_devices);
  if (!schur.ok()) return schur.status();
  SolverOptions inner = options;
  SolutionValues initial;
  if (options.initial != nullptr) {
    initial = order.Inward(*options.initial);
    inner.initial = &initial;
  }
  if (options.progress) {
    inner.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) {
      return options.progress(iteration, [&] { return order.Outward(values()); });
    };
  }
  absl::StatusOr<Solution<Real>> solution =
      InteriorPoint<Real>(ordered, inner, **schur, layout).Solve();
  if (!solution.ok()) return solution;
  solution->is_sparse = (*schur)->is_sparse();
  solution->point.x = order.Outward(solution->point.x);
  if (solution->nearest) solution->nearest->x = order.Outward(solution->nearest->x);
  return solution;
}

template absl::StatusOr<Solution<double>> Solve(taskrt::Runtime& runtime, const Problem& problem,
                                                const SolverOptions& options);
template absl::StatusOr<Solution<DoubleDouble>> Solve(taskrt::Runtime& runtime,
                                                      const Problem& problem,
                                                      const SolverOptions& options);

absl::StatusOr<Solution<double>> Solve(const Problem& problem, const SolverOptions& options,
                                       int threads) {
  taskrt::RuntimeOptions of_runtime;
  of_runtime.pool.workers = threads;
  auto runtime = taskrt::Runtime::Create(std::move(of_runtime));
  if (!runtime.ok()) return runtime.status();
  return (*runtime)->Run([&](taskrt::Runtime& rt) { return Solve<double>(rt, problem, options); });
}

}  // namespace sdpa
