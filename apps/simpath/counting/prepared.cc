#include "apps/simpath/counting/prepared.h"

#include <algorithm>

#include "apps/simpath/frontier/plan.h"

namespace simpath {

Prepared::Prepared(const Problem& problem, Reducing reducing, Order order) : whole_(problem) {
  const bool may_reduce = problem.rule == Rule{};
  if (reducing == Reducing::kOn && may_reduce) {
    reduction_ = Reduce(problem);
    for (std::size_t part = 0; part < parts().size(); ++part) {
      orders_.push_back(OrderEdges(parts()[part], order));
      reduction_->Reorder(part, orders_.back());
    }
  } else if (!problem.rule.has_terminals() || problem.source != problem.target) {
    unreduced_.push_back(Ordered(problem, order));
  }
  for (const Problem& part : parts()) max_width_ = std::max(max_width_, MakePlan(part).slots);
}

Prepared Prepared::Weighted(const Count& weight) const {
  Prepared weighted = *this;
  weighted.whole_.weights.assign(whole_.edges.size(), weight);
  for (Problem& problem : weighted.unreduced_) problem.weights.assign(problem.edges.size(), weight);
  if (!reduction_) return weighted;
  // Weights do not change the parts.
  weighted.reduction_ = Reduce(weighted.whole_);
  for (std::size_t part = 0; part < orders_.size(); ++part) {
    weighted.reduction_->Reorder(part, orders_[part]);
  }
  return weighted;
}

absl::StatusOr<Count> Prepared::CountPaths(const Reduction::CountPart& count) const {
  if (reduction_) return reduction_->CountPaths(count);
  if (unreduced_.empty()) {
    // The path without edges.
    const bool visits_all = whole_.rule.visits == Visits::kAllVertices;
    return Count(visits_all && whole_.vertices > 1 ? 0 : 1);
  }
  return count(0, unreduced_[0]);
}

}  // namespace simpath
