// How much of a count is done, by the states of its steps: for the time left. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "apps/simpath/frontier/plan.h"

namespace simpath {

// A value. Steps that are to come are taken to have as many states as the most that a frontier of
// their width has had, and wider ones 2.7 times as many for each vertex more: about what grids
// have.
class StatesAhead {
 public:
  explicit StatesAhead(std::vector<int> widths) : widths_(std::move(widths)) {}

  // Steps after the last one until this one have so many states each.
  void Add(std::size_t step, std::size_t states) {
    // Steps before those of a stage were done by a run that this one goes on from.
    if (step + 1 - next_ > static_cast<std::size_t>(kLongestStage)) next_ = step;
    const auto width = static_cast<std::size_t>(widths_[step]);
    if (most_.size() <= width) most_.resize(width + 1, 0);
    most_[width] = std::max(most_[width], static_cast<double>(states));
    done_ += static_cast<double>(states) * static_cast<double>(step + 1 - next_);
    next_ = step + 1;
  }

  // Of the states of these steps and of those to come.
  double ShareDone() const {
    double ahead = 0;
    for (std::size_t step = next_; step < widths_.size(); ++step) ahead += StatesAt(widths_[step]);
    return done_ == 0 ? 0 : done_ / (done_ + ahead);
  }

 private:
  double StatesAt(int width) const {
    for (int known = std::min(width, static_cast<int>(most_.size()) - 1); known > 0; --known) {
      const double most = most_[static_cast<std::size_t>(known)];
      if (most > 0) return most * std::pow(2.7, width - known);
    }
    return 1;
  }

  std::vector<int> widths_;
  std::vector<double> most_;  // by width
  double done_ = 0;
  std::size_t next_ = 0;  // step
};

}  // namespace simpath
