// How long the elements of the Schur complement's matrix take, by method, policy, number of threads
// and where Y and X^-1 lie: the paper's figures 14 to 16.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/run/resolve.h"
#include "topo/topo.h"

namespace sdpa {

// A value: a row.
struct ElementsTime {
  Method method = Method::kTerms;
  topo::Policy policy = topo::Policy::kNone;
  DataPlacement placement = DataPlacement::kFirstTouch;
  int threads = 1;
  bool is_sparse = false;
  double seconds = 0;                      // the median of an iteration
  std::optional<double> elements_seconds;  // of an iteration, summed over tasks; by terms only
  double largest_error = 0;                // of some elements, as trace is written (F3), relative
};

// All rows. Errors: Internal where an element is wrong; topo's and the runtime's.
absl::StatusOr<std::vector<ElementsTime>> MeasureElements(
    const Resolved& resolved, int repetitions,
    const std::function<void(const std::string&)>& progress);

}  // namespace sdpa
