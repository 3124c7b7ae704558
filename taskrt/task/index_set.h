// A set of submission indexes, most of which follow each other: it keeps intervals.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>

#include "taskrt/ids.h"

namespace taskrt {

// A value.
class IndexSet {
 public:
  void Add(SubmitIndex index) {
    auto after = ends_.upper_bound(index);
    SubmitIndex begin = index, end = index + 1;
    if (after != ends_.begin()) {
      const auto before = std::prev(after);
      if (before->second > index) return;
      if (before->second == index) begin = before->first;
    }
    if (after != ends_.end() && after->first == end) {
      end = after->second;
      ends_.erase(after);
    }
    ends_[begin] = end;
  }
  bool Has(SubmitIndex index) const {
    const auto after = ends_.upper_bound(index);
    return after != ends_.begin() && std::prev(after)->second > index;
  }
  std::size_t intervals() const { return ends_.size(); }

 private:
  std::map<SubmitIndex, SubmitIndex> ends_;  // by where they begin
};

}  // namespace taskrt
