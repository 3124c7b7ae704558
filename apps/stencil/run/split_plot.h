// The parts of some times, as bars in pieces behind each other: the paper's figures 8 and 9,
// (c) and (d).
//
// Pure. Source: [Mid18] section 3.2.
#pragma once

#include <string>
#include <vector>

namespace stencil {

// A value. Time that is in no part is shown as the rest.
struct TimeSplit {
  std::string name;
  double seconds = 0;
  double compute_seconds = 0, preload_seconds = 0, fault_seconds = 0, barrier_seconds = 0;
};

// One self-contained <svg> element, as program::ToSvg makes them. `label`: of the axis, which
// reaches as far as the longest time and at least to `longest`.
std::string SplitPlot(const std::string& title, const std::vector<TimeSplit>& splits,
                      const std::string& label, double longest = 0);

}  // namespace stencil
