#include "apps/simpath/prepared.h"

#include <algorithm>

#include "apps/simpath/frontier/plan.h"

namespace simpath {

Prepared::Prepared(const Problem& problem, Reducing reducing, Order order) : whole_(problem) {
  // Reductions know of no other.
  const bool may_reduce = problem.rule == Rule{};
  if (reducing == Reducing::kOn && may_reduce) {
    reduction_ = Reduce(problem);
    for (std::size_t part = 0; part < parts().size(); ++part) {
      reduction_->Reorder(part, OrderEdges(parts()[part], order));
    }
  } else if (!problem.rule.has_terminals() || problem.source != problem.target) {
    unreduced_.push_back(Ordered(problem, order));
  }
  for (const Problem& part : parts()) max_width_ = std::max(max_width_, MakePlan(part).slots);
}

void Prepared::Reorder(std::size_t part, std::span<const std::size_t> order) {
  if (reduction_) return reduction_->Reorder(part, order);
  const Problem before = unreduced_[part];
  for (std::size_t i = 0; i < order.size(); ++i) {
    unreduced_[part].edges[i] = before.edges[order[i]];
    if (!before.weights.empty()) unreduced_[part].weights[i] = before.weights[order[i]];
  }
}

absl::StatusOr<Count> Prepared::CountPaths(const Reduction::CountPart& count) const {
  if (reduction_) return reduction_->CountPaths(count);
  if (unreduced_.empty()) {
    // The path of no edge, if it visits all that it is to visit.
    const bool visits_all = whole_.rule.visits == Visits::kAllVertices;
    return Count(visits_all && whole_.vertices > 1 ? 0 : 1);
  }
  return count(0, unreduced_[0]);
}

}  // namespace simpath
