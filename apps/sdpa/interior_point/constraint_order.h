// The order of the constraints that the method has: columns are computed by it. Points outside are
// in the order of the problem. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/sdpa/elements/order.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// A value.
class ConstraintOrder {
 public:
  explicit ConstraintOrder(const Problem& problem) : order_(FullestFirst(problem)) {}

  Problem Inward(const Problem& problem) const { return Reordered(problem, order_); }
  SolutionValues Inward(SolutionValues values) const {
    values.x = Inward(values.x);
    values.low.x = Inward(values.low.x);
    return values;
  }
  SolutionValues Outward(SolutionValues values) const {
    values.x = Outward(values.x);
    values.low.x = Outward(values.low.x);
    return values;
  }
  template <typename Real>
  std::vector<Real> Outward(const std::vector<Real>& x) const {
    std::vector<Real> outer(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) outer[order_[i]] = x[i];
    return outer;
  }

 private:
  // Empty: so is the result.
  std::vector<double> Inward(const std::vector<double>& x) const {
    std::vector<double> inner(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) inner[i] = x[order_[i]];
    return inner;
  }

  std::vector<std::size_t> order_;
};

}  // namespace sdpa
