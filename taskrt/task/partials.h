// To which of a block's partial results a reduction adds, so that others can at the same time: each
// device has one, and the host one for each of its workers, in turn.
//
//   Take(kHost) -> 0, first   Take(kHost) -> 1, first   Take(kHost) -> 0   ...   Close() -> 0, 1
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "taskrt/place.h"

namespace taskrt {

// A value.
class Partials {
 public:
  Partials(int workers, int devices)
      : workers_(static_cast<std::size_t>(workers)),
        is_used_(workers_ + static_cast<std::size_t>(devices)) {}

  struct Use {
    std::size_t index = 0;  // less than size()
    bool is_first = false;  // since it was closed: it has no value yet
  };
  // For a task at that place; kWhenReady: any of them.
  Use Take(Place place) {
    const std::size_t index = place == kWhenReady ? next_++ % size()
                              : place == kHost    ? next_++ % workers_
                                                  : workers_ + static_cast<std::size_t>(place) - 1;
    const bool is_first = !is_used_[index];
    is_used_[index] = true;
    return {index, is_first};
  }

  // Those that were used since it was closed before, ascending: they are to be combined.
  std::vector<std::size_t> Close() {
    std::vector<std::size_t> used;
    for (std::size_t index = 0; index < size(); ++index) {
      if (is_used_[index]) used.push_back(index);
      is_used_[index] = false;
    }
    return used;
  }

  std::size_t size() const { return is_used_.size(); }

 private:
  std::size_t workers_;
  std::vector<bool> is_used_;
  std::size_t next_ = 0;
};

}  // namespace taskrt
