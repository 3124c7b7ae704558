// The Newton system of one iteration of an interior-point method and its search directions, those
// of Helmberg, Rendl, Vanderbei and Wolkowicz, Kojima, Shindoh and Hara, and Monteiro (HKM).
//
// Threads: one, a lightweight thread; the work is done by all of its pool.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/interior_point/residual.h"
#include "apps/sdpa/interior_point/rules.h"
#include "apps/sdpa/interior_point/short_products.h"
#include "apps/sdpa/linear/aggregate.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/schur.h"
#include "lwt/parallel.h"

namespace sdpa {

// F_1 x_1 + ... + F_m x_m.
template <typename Real>
BlockMatrix<Real> Combine(const Problem& problem, const std::shared_ptr<const Layout>& layout,
                          const std::vector<Real>& x) {
  BlockMatrix<Real> sum(layout);
  for (std::size_t i = 0; i < x.size(); ++i) sum.Add(x[i], problem.matrices[i + 1]);
  return sum;
}

// F_i.a - costs_i for each i.
template <typename Real, typename Costs>
std::vector<Real> ConstraintResiduals(const Problem& problem, const BlockMatrix<Real>& a,
                                      const Costs& costs) {
  std::vector<Real> errors(problem.constraints());
  constexpr std::int64_t kConstraints = 64;
  lwt::ParallelFor(0, static_cast<std::int64_t>(errors.size()), kConstraints,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (auto i = static_cast<std::size_t>(begin);
                          i < static_cast<std::size_t>(end); ++i) {
                       errors[i] = Dot(problem.matrices[i + 1], a) - costs[i];
                     }
                   });
  return errors;
}

// F_i.a - c_i for each i.
template <typename Real>
std::vector<Real> DualResidual(const Problem& problem, const BlockMatrix<Real>& a) {
  return ConstraintResiduals(problem, a, problem.costs);
}

// A value: (dx, dX, dY).
template <typename Real>
struct SearchDirection {
  std::vector<Real> x;
  BlockMatrix<Real> slack, dual;
};

// Of one iteration; all that it is given outlives it.
template <typename Real>
class NewtonSystem {
 public:
  // `primal_residual`: F_1 x_1 + ... - F_0 - X; null: it is 0. `dual_residual`: F.Y - c. `mu`: X.Y
  // over the rows.
  NewtonSystem(const Problem& problem, const Aggregate& aggregate,
               const ShortProducts& short_products, const Point<Real>& point,
               const BlockMatrix<Real>& x_inverse, const BlockMatrix<Real>* primal_residual,
               const std::vector<Real>& dual_residual, double mu, SchurComplement<Real>& schur)
      : problem_(problem),
        aggregate_(aggregate),
        short_products_(short_products),
        point_(point),
        x_inverse_(x_inverse),
        dual_residual_(dual_residual),
        schur_(schur) {
    if (primal_residual == nullptr) return;
    // X Y is to be mu I: elements of the residual do not matter that change it by a hundredth.
    constexpr double kOfMu = 0.01;
    primal_residual_.emplace(*primal_residual, aggregate, short_products, LargestOf(point.slack),
                             kOfMu * mu / TraceOf(point.dual));
    primal_residual_product_ = BlockMatrix<Real>::Unset(x_inverse.shared_layout());
    primal_residual_->Multiply(point_.dual, primal_residual_product_);
  }

  // Before Solve. A matrix that is not positive definite is made so by a diagonal that is larger by
  // roundings, or by more; Solve's refinement takes out what that changes. `are_dependent`: some
  // constraints are known to follow from others. Their pivots are roundings of either sign, and a
  // small positive one would let x run away: so the diagonal is made larger at once. Errors:
  // SchurComplement's.
  absl::Status Factor(bool are_dependent) {
    absl::Status factored = FactorWith(are_dependent ? kRounding : 0);
    for (double regularization = NextRegularization(0, kRounding);
         absl::IsFailedPrecondition(factored) && regularization > 0;
         regularization = NextRegularization(regularization, kRounding)) {
      factored = FactorWith(regularization);
    }
    return factored;
  }

  // Are some constraints dependent, as far as the least pivot shows? For the first iteration, where
  // X and Y are multiples of I.
  bool AreDependent() const {
    constexpr double kTimes = 1000;
    return schur_.least_pivot() < kTimes * kRounding;
  }

  // product = dX dY of what Solve returned with this `kept`.
  void SecondOrderTerm(const SearchDirection<Real>& direction, Real kept,
                       BlockMatrix<Real>& product) const {
    if (!short_products_.are_short()) {
      return aggregate_.Multiply(direction.slack, direction.dual, product);
    }
    short_products_.Multiply(direction.x, direction.dual, product);
    if (!primal_residual_.has_value()) return;
    auto of_residual = BlockMatrix<Real>::Unset(product.shared_layout());
    primal_residual_->Multiply(direction.dual, of_residual);
    product.Add(Real(1) - kept, of_residual);
  }

  // The direction to X Y = `target` I, where `second_order` is dX dY of a direction that was found
  // before, or null. `kept`: how much is to be left of the errors of the constraints, from 0, none,
  // to 1. The equations of F.(Y + dY) are met to `error`, as Quality::dual_error counts it, where
  // refinement can.
  SearchDirection<Real> Solve(Real target, Real kept, const BlockMatrix<Real>* second_order,
                              double error) const {
    const auto& layout = x_inverse_.shared_layout();
    const Real taken = Real(1) - kept;
    std::vector<Real> costs(dual_residual_.size());  // F.(Y + dY)
    for (std::size_t i = 0; i < costs.size(); ++i) {
      costs[i] = kept * dual_residual_[i] + Real(problem_.costs[i]);
    }
    // dY = target X^-1 - Y - X^-1 (dX Y + second_order), made symmetric, and dX = taken residual +
    // sum of F_j dx_j: `mixed` is the part of dX Y + second_order that does not depend on dx.
    BlockMatrix<Real> mixed(layout);
    if (primal_residual_.has_value()) mixed.Add(taken, primal_residual_product_);
    if (second_order != nullptr) mixed.Add(Real(1), *second_order);
    const bool is_mixed = primal_residual_.has_value() || second_order != nullptr;
    SearchDirection<Real> direction = short_products_.are_short()
                                          ? SolveShort(target, is_mixed, error, costs, mixed)
                                          : SolveWhole(target, is_mixed, costs, mixed);
    Refine(error, costs, mixed, direction);
    if (primal_residual_.has_value()) direction.slack.Add(taken, primal_residual_->whole());
    direction.dual.Add(Real(-1), point_.dual);
    return direction;
  }

 private:
  static constexpr bool kIsDouble = std::is_same_v<Real, double>;
  static constexpr double kRounding = kIsDouble ? 1e-15 : 1e-31;
  static constexpr int kMostRefinements = 5;

  absl::Status FactorWith(double regularization) {
    return schur_.Factor(point_.dual.elements(), x_inverse_.elements(), regularization);
  }

  // Here and below direction.dual is Y + dY, and direction.slack is without the residual.
  SearchDirection<Real> SolveWhole(Real target, bool is_mixed, const std::vector<Real>& costs,
                                   BlockMatrix<Real>& mixed) const {
    const auto& layout = x_inverse_.shared_layout();
    BlockMatrix<Real> fixed(layout);
    if (is_mixed) {
      Multiply(x_inverse_, mixed, fixed);
      fixed.MakeSymmetric();
      fixed.Scale(Real(-1));
    }
    fixed.Add(target, x_inverse_);
    SearchDirection<Real> direction;
    direction.x = ConstraintResiduals(problem_, fixed, costs);
    schur_.Solve(direction.x);
    direction.slack = Combine(problem_, layout, direction.x);
    direction.dual = std::move(fixed);
    Subtract(direction.slack, mixed, direction.dual);
    return direction;
  }

  // The same by one product of all elements, as the constraints see few of them: the equations are
  // solved and refined before it.
  SearchDirection<Real> SolveShort(Real target, bool is_mixed, double error,
                                   const std::vector<Real>& costs, BlockMatrix<Real>& mixed) const {
    const auto& layout = x_inverse_.shared_layout();
    auto product = BlockMatrix<Real>::Unset(layout), scratch = BlockMatrix<Real>::Unset(layout);
    Seen<Real> seen = short_products_.See(x_inverse_);
    seen.Scale(target);
    if (is_mixed) seen.Add(Real(-1), short_products_.SeeProduct(x_inverse_, mixed, scratch));
    const auto errors_of = [&](const Seen<Real>& of) {
      std::vector<Real> errors = short_products_.ProductsOf(of);
      for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= costs[i];
      return errors;
    };
    // The direction of these errors, in `product` its product with Y, and in `next` what follows.
    Seen<Real> next;
    const auto follow = [&](std::vector<Real> errors) {
      schur_.Solve(errors);
      short_products_.Multiply(errors, point_.dual, product);
      next = seen;
      next.Add(Real(-1), short_products_.SeeProduct(x_inverse_, product, scratch));
      return errors;
    };
    SearchDirection<Real> direction;
    direction.x = follow(errors_of(seen));
    seen = next;
    mixed.Add(Real(1), product);
    const double enough = error * (1 + LargestCost());
    std::vector<Real> errors = errors_of(seen);
    for (int step = 0; step < kMostRefinements; ++step) {
      const double before = NormOf(errors);
      if (!(before > enough)) break;
      const std::vector<Real> correction = follow(errors);
      errors = errors_of(next);
      if (!(NormOf(errors) < before)) break;
      seen = next;
      mixed.Add(Real(1), product);
      AddTo(std::span<Real>(direction.x), Real(1), std::span<const Real>(correction));
    }
    direction.slack = Combine(problem_, layout, direction.x);
    Multiply(x_inverse_, mixed, product);
    product.MakeSymmetric();
    product.Scale(Real(-1));
    product.Add(target, x_inverse_);
    // The refined ones.
    short_products_.Set(seen, product);
    direction.dual = std::move(product);
    return direction;
  }

  double LargestCost() const {
    double largest = 0;
    for (const double cost : problem_.costs) largest = std::max(largest, std::abs(cost));
    return largest;
  }

  static double TraceOf(const BlockMatrix<Real>& a) {
    double trace = 0;
    for (std::size_t l = 0; l < a.layout().blocks.size(); ++l) {
      const std::span<const Real> elements = a.elements(l);
      const auto size = static_cast<std::size_t>(a.block(l).size);
      const std::size_t stride = a.block(l).shape == Shape::kDense ? size + 1 : 1;
      for (std::size_t i = 0; i < size; ++i) trace += static_cast<double>(elements[i * stride]);
    }
    return trace;
  }

  // dual -= X^-1 slack Y, made symmetric.
  void Subtract(const BlockMatrix<Real>& slack, BlockMatrix<Real>& scratch,
                BlockMatrix<Real>& dual) const {
    aggregate_.Multiply(slack, point_.dual, scratch);
    auto product = BlockMatrix<Real>::Unset(slack.shared_layout());
    Multiply(x_inverse_, scratch, product);
    product.MakeSymmetric();
    dual.Add(Real(-1), product);
  }

  // The errors of the constraints are those of B dx, as direction.dual is Y + dY.
  void Refine(double error, const std::vector<Real>& costs, BlockMatrix<Real>& scratch,
              SearchDirection<Real>& direction) const {
    const double enough = error * (1 + LargestCost());
    std::vector<Real> errors = ConstraintResiduals(problem_, direction.dual, costs);
    for (int step = 0; step < kMostRefinements; ++step) {
      const double before = NormOf(errors);
      if (!(before > enough)) return;
      std::vector<Real> correction = errors;
      schur_.Solve(correction);
      const BlockMatrix<Real> slack =
          Combine(problem_, direction.slack.shared_layout(), correction);
      BlockMatrix<Real> dual = direction.dual;
      Subtract(slack, scratch, dual);
      errors = ConstraintResiduals(problem_, dual, costs);
      if (!(NormOf(errors) < before)) return;
      direction.dual = std::move(dual);
      direction.slack.Add(Real(1), slack);
      AddTo(std::span<Real>(direction.x), Real(1), std::span<const Real>(correction));
    }
  }

  const Problem& problem_;
  const Aggregate& aggregate_;
  const ShortProducts& short_products_;
  const Point<Real>& point_;
  const BlockMatrix<Real>& x_inverse_;
  std::optional<Residual<Real>> primal_residual_;
  BlockMatrix<Real> primal_residual_product_;  // residual Y
  const std::vector<Real>& dual_residual_;
  SchurComplement<Real>& schur_;
};

}  // namespace sdpa
