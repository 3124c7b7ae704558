// A problem made ready to be counted edge by edge: reduced, and its edges ordered.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/order/order.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/reduce/reduce.h"

namespace simpath {

enum class Reducing { kOn, kOff };

// A value. Reductions are for undirected paths between given ends; other rules are counted
// unreduced.
class Prepared {
 public:
  Prepared(const Problem& problem, Reducing reducing, Order order);

  // The problems whose counts give that of the whole. An edge whose weight is another part's count
  // has no weight yet; CountPaths fills it in.
  const std::vector<Problem>& parts() const {
    return reduction_ ? reduction_->parts() : unreduced_;
  }
  const Problem& whole() const { return whole_; }
  // Null where the problem was not reduced.
  const Reduction* reduction() const { return reduction_ ? &*reduction_ : nullptr; }
  int max_width() const { return max_width_; }  // of the frontiers of all parts

  // The same orders of edges, with the same weight for every edge of the whole. Precondition: the
  // whole has no weights.
  Prepared Weighted(const Count& weight) const;

  // The count of the whole, by count(part, problem) of each part; its first error.
  absl::StatusOr<Count> CountPaths(const Reduction::CountPart& count) const;

 private:
  Problem whole_;
  std::optional<Reduction> reduction_;
  std::vector<Problem> unreduced_;                // one, unless it goes from a vertex to itself
  std::vector<std::vector<std::size_t>> orders_;  // of the reduction's parts
  int max_width_ = 0;
};

}  // namespace simpath
