#include "apps/sdpa/interior_point/interior_point.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/elements/order.h"
#include "apps/sdpa/elements/terms.h"
#include "apps/sdpa/interior_point/equations.h"
#include "apps/sdpa/interior_point/norms.h"
#include "apps/sdpa/interior_point/rules.h"
#include "apps/sdpa/interior_point/short_products.h"
#include "apps/sdpa/interior_point/start.h"
#include "apps/sdpa/interior_point/steps.h"
#include "apps/sdpa/linear/aggregate.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/schur/make.h"

namespace sdpa {
namespace {

// A value: where to go, and how far.
template <typename Real>
struct Way {
  Direction<Real> direction;
  double primal_step = 0, dual_step = 0;

  double length() const { return primal_step * dual_step; }
};

// A resource: a run of the method.
template <typename Real>
class Run {
 public:
  Run(const Problem& problem, const SolverOptions& options, SchurComplement<Real>& schur,
      std::shared_ptr<const Layout> layout)
      : problem_(problem),
        options_(options),
        schur_(schur),
        layout_(std::move(layout)),
        norms_(problem),
        aggregate_(problem, *layout_),
        short_products_(problem, layout_, kRounding),
        corrects_again_(!schur.is_sparse() && IsWorthASecondCorrector(problem)) {}

  absl::StatusOr<Solution<Real>> ToTheEnd();

 private:
  void Start(const SolutionValues* from);
  bool IsStuck(bool has_moved);
  void Measure();
  bool Continues();
  absl::StatusOr<bool> Step();
  Way<Real> FindWay(const Equations<Real>& equations) const;
  // Of X and Y, as CholeskyFactor's.
  std::pair<double, double> LargestSteps(const Direction<Real>& direction, double most) const;
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
  BlockMatrix<Real> residual_;
  std::vector<Real> errors_;  // F.Y - c
  // X is F_1 x_1 + ... - F_0, but for roundings, which it keeps: they do no harm, but to find X's
  // small eigenvalues as differences of large numbers would.
  bool is_primal_feasible_ = false;
  bool is_far_inside_ = false;  // X and Y are multiples of I
  bool are_dependent_ = false;  // constraints, at that point
  bool is_on_trial_ = false;    // it began at a given point, of which it may let go
  double longest_step_ = 0;
  Iteration now_;
  ProofErrors proof_;
  Solution<Real> best_;
  Patience patience_;
};

template <typename Real>
void Run<Real>::Start(const SolutionValues* from) {
  point_ = from != nullptr
               ? PointOf<Real>(layout_, *from)
               : FarInside<Real>(layout_, norms_, problem_.constraints(), options_.start);
  // A direction of X has elements there only.
  aggregate_.DropOthers(point_.slack);
  if (from != nullptr && !options_.resumes) {
    Measure();
    if (IsForeign(now_.quality)) return Start(nullptr);
    MoveInside(now_.quality, point_);
  }
  is_far_inside_ = from == nullptr;
  is_on_trial_ = from != nullptr && !options_.resumes;
  is_primal_feasible_ = false;
  patience_ = Patience();
  slack_ = MakePositive(point_.slack);
  dual_ = MakePositive(point_.dual);
  Measure();
}

// Does the given point lead nowhere? All steps from there were short, or none could be made.
template <typename Real>
bool Run<Real>::IsStuck(bool has_moved) {
  constexpr int kTrial = 2;
  constexpr double kShort = 0.01;
  longest_step_ = std::max({longest_step_, now_.primal_step, now_.dual_step});
  const bool is_short = !has_moved || (now_.number == kTrial && longest_step_ < kShort);
  return is_on_trial_ && now_.number <= kTrial && is_short;
}

template <typename Real>
void Run<Real>::Measure() {
  Quality& quality = now_.quality;
  Real primal(0);
  for (std::size_t i = 0; i < point_.x.size(); ++i) primal += problem_.costs[i] * point_.x[i];
  quality.primal = static_cast<double>(primal);
  const Real dual = Dot(problem_.matrices[0], point_.dual);
  quality.dual = static_cast<double>(dual);
  errors_ = ConstraintErrors(problem_, point_.dual);
  quality.dual_error = NormOf(errors_) / (1 + norms_.largest_cost);
  double squares = 0;
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    // F_i.Y and what is lost of it where c_i is larger.
    constexpr double kRounding = 1e-15;
    const double product = std::abs(static_cast<double>(errors_[i] + problem_.costs[i])) +
                           kRounding * std::abs(problem_.costs[i]);
    const double value = product / quality.dual * norms_.x_units[i];
    squares += value * value;
  }
  residual_ = Combine(problem_, layout_, point_.x);
  residual_.Add(Real(-1), problem_.matrices[0]);
  residual_.Add(Real(-1), point_.slack);
  quality.primal_error =
      std::sqrt(static_cast<double>(Dot(residual_, residual_))) / (1 + norms_.largest_constant);
  const double objectives = 1 + std::abs(quality.primal) + std::abs(quality.dual);
  const auto product = static_cast<double>(Dot(point_.slack, point_.dual));
  quality.gap = std::abs(static_cast<double>(primal - dual)) / objectives;
  quality.product = product / objectives;
  quality.mu = product / static_cast<double>(layout_->rows);
  // X is positive semidefinite, so that F_1 x_1 + ... is less than it by no more than this.
  const double of_slack = quality.primal_error * (1 + norms_.largest_constant) + norms_.constant;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const bool is_by_dual = quality.dual > 0 && std::isfinite(quality.dual);
  proof_ = {.by_dual = is_by_dual ? std::sqrt(squares) : kNone,
            .by_x = quality.primal < 0 ? of_slack * norms_.y_unit / -quality.primal : kNone};
  // The roundings of a large X may be too much for a solution.
  constexpr double kRoundings = std::is_same_v<Real, double> ? 1e-12 : 1e-28, kHarmless = 0.1;
  is_primal_feasible_ =
      quality.primal_error <= kRoundings ||
      (is_primal_feasible_ && quality.primal_error <= kHarmless * options_.tolerance);
}

// False at the end, whose phase and point are best_'s then.
template <typename Real>
bool Run<Real>::Continues() {
  const Quality& quality = now_.quality;
  if (now_.number == 0 || quality.largest_error() < best_.quality.largest_error()) {
    best_.point = point_;
    best_.quality = quality;
  }
  const std::optional<Phase> end =
      EndOf(quality, proof_, options_.tolerance, now_.primal_step, now_.dual_step);
  if (!end) {
    const bool moves =
        patience_.Has(now_.number, {quality.largest_error(), quality.primal_error,
                                    quality.dual_error, quality.mu, proof_.by_dual, proof_.by_x});
    if (!moves) return false;
    const bool has_more = now_.number < options_.most_iterations;
    if (!has_more) best_.phase = Phase::kTooManyIterations;
    const bool is_stopped = has_more && options_.stops && options_.stops();
    if (is_stopped) best_.phase = Phase::kStopped;
    return has_more && !is_stopped;
  }
  best_.phase = *end;
  constexpr double kReducedAccuracy = 1e-4;
  if (*end != Phase::kOptimal && best_.quality.largest_error() < kReducedAccuracy) {
    best_.nearest = std::move(best_.point);
  }
  best_.point = point_;
  best_.quality = quality;
  return false;
}

template <typename Real>
std::pair<double, double> Run<Real>::LargestSteps(const Direction<Real>& direction,
                                                  double most) const {
  std::pair<double, double> steps;
  InParallel([&] { steps.first = slack_->LargestStep(direction.slack, most); },
             [&] { steps.second = dual_->LargestStep(direction.dual, most); });
  return steps;
}

template <typename Real>
Way<Real> Run<Real>::FindWay(const Equations<Real>& equations) const {
  // The predictor: how far down would mu come?
  const double rows = static_cast<double>(layout_->rows), mu = now_.quality.mu;
  const Direction<Real> predictor = equations.Solve(Real(0), Real(0), nullptr, 1);
  const auto [primal_most, dual_most] = LargestSteps(predictor, 2);
  const double primal_try = std::min(1.0, 0.98 * primal_most);
  const double dual_try = std::min(1.0, 0.98 * dual_most);
  // (X + a dX).(Y + b dY), by its parts.
  const double tried =
      mu * rows + primal_try * static_cast<double>(Dot(predictor.slack, point_.dual)) +
      dual_try * static_cast<double>(Dot(point_.slack, predictor.dual)) +
      primal_try * dual_try * static_cast<double>(Dot(predictor.slack, predictor.dual));
  const double shorter = std::min(primal_try, dual_try);
  const bool is_feasible = now_.quality.primal_error <= options_.tolerance &&
                           now_.quality.dual_error <= options_.tolerance;
  const double beta = Centering(tried / rows / mu, shorter, is_feasible);

  const double refined = 0.01 * options_.tolerance, fraction = FractionOf(shorter);
  auto second_order = BlockMatrix<Real>::Unset(layout_);
  const auto corrected = [&](const Direction<Real>& before, double kept) {
    equations.SecondOrder(before, Real(kept), second_order);
    // The errors of the constraints fall as mu does: along the path of points on which they are in
    // proportion to it, and which there is also where no point inside meets the constraints.
    Way<Real> way = {.direction =
                         equations.Solve(Real(beta * mu), Real(beta), &second_order, refined)};
    const auto [primal_end, dual_end] = LargestSteps(way.direction, 1.2);
    way.primal_step = std::min(1.0, fraction * primal_end);
    way.dual_step = std::min(1.0, fraction * dual_end);
    return way;
  };
  Way<Real> way = corrected(predictor, 0);
  if (corrects_again_) {
    Way<Real> again = corrected(way.direction, beta);
    if (again.length() > way.length()) way = std::move(again);
  }
  return way;
}

// False where no step can be made; the point is as it was then.
template <typename Real>
absl::StatusOr<bool> Run<Real>::Step() {
  now_.primal_step = now_.dual_step = 0;
  if (!slack_ || !dual_) return false;  // it begins with numbers that nothing makes positive
  const BlockMatrix<Real> x_inverse = slack_->Inverse();
  Equations<Real> equations(problem_, aggregate_, short_products_, point_, x_inverse,
                            is_primal_feasible_ ? nullptr : &residual_, errors_, now_.quality.mu,
                            schur_);
  absl::Status factored = equations.Factor(are_dependent_);
  // A small pivot says it of the problem there.
  if (factored.ok() && is_far_inside_ && equations.AreDependent()) {
    are_dependent_ = true;
    factored = equations.Factor(are_dependent_);
  }
  if (absl::IsFailedPrecondition(factored)) return false;
  if (!factored.ok()) return factored;

  Way<Real> way = FindWay(equations);
  std::optional<Positive<Real>> slack, dual;
  InParallel([&] { slack = Moved(way.primal_step, way.direction.slack, point_.slack); },
             [&] { dual = Moved(way.dual_step, way.direction.dual, point_.dual); });
  if (!slack || !dual) return false;
  for (std::size_t i = 0; i < point_.x.size(); ++i) {
    point_.x[i] += Real(way.primal_step) * way.direction.x[i];
  }
  point_.slack = std::move(slack->matrix);
  slack_ = std::move(slack->factor);
  point_.dual = std::move(dual->matrix);
  dual_ = std::move(dual->factor);
  now_.primal_step = way.primal_step;
  now_.dual_step = way.dual_step;
  is_far_inside_ = false;
  return true;
}

template <typename Real>
absl::StatusOr<Solution<Real>> Run<Real>::ToTheEnd() {
  for (Start(options_.initial); Continues();) {
    const absl::StatusOr<bool> has_moved = Step();
    if (!has_moved.ok()) return has_moved.status();
    ++now_.number;
    if (*has_moved) Measure();
    if (options_.progress) {
      const absl::Status shown = options_.progress(now_, [&] { return ValuesOf(point_); });
      if (!shown.ok()) return shown;
    }
    if (IsStuck(*has_moved)) {
      Start(nullptr);
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
  const std::vector<std::size_t> order = FullestFirst(problem);
  const Problem ordered = Reordered(problem, order);
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const Columns columns(ordered, layout,
                        std::is_same_v<Real, double> ? Rounding::kLastBits : Rounding::kNone);
  const auto made =
      MakeSchur<Real>(runtime, columns, options.schur, options.most_bytes, options.cuda_devices);
  if (!made.ok()) return made.status();
  SchurComplement<Real>& schur = **made;
  // Points outside are in the order of the problem.
  const auto reorder = [&order](const auto& from, auto to, bool is_inward) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      (is_inward ? to[i] : to[order[i]]) = from[is_inward ? order[i] : i];
    }
    return to;
  };
  SolverOptions inner = options;
  SolutionValues initial;
  if (options.initial != nullptr) {
    initial = *options.initial;
    initial.x = reorder(options.initial->x, initial.x, true);
    if (!initial.low.x.empty()) {
      initial.low.x = reorder(options.initial->low.x, initial.low.x, true);
    }
    inner.initial = &initial;
  }
  if (options.progress) {
    inner.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) {
      return options.progress(iteration, [&] {
        SolutionValues outer = values();
        outer.x = reorder(std::vector<double>(outer.x), outer.x, false);
        if (!outer.low.x.empty()) {
          outer.low.x = reorder(std::vector<double>(outer.low.x), outer.low.x, false);
        }
        return outer;
      });
    };
  }
  absl::StatusOr<Solution<Real>> solution = Run<Real>(ordered, inner, schur, layout).ToTheEnd();
  if (!solution.ok()) return solution;
  solution->is_sparse = schur.is_sparse();
  const auto reorder_x = [&](Point<Real>& point) {
    point.x = reorder(std::vector<Real>(point.x), point.x, false);
  };
  reorder_x(solution->point);
  if (solution->nearest) reorder_x(*solution->nearest);
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
