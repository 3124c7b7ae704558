// Which of the callers that have not proved themselves leaves when there are too many.
//
// Threads: one at a time.
#pragma once

#include <algorithm>

namespace llcl {

// Of `visitors`, the oldest first and not empty: the oldest whose interview has heard no greeting
// (authentication.h), so that no number of strangers pushes out a rank that has greeted; the oldest
// of all where each has greeted, as greetings can be repeated by who has seen them.
auto FirstToLeave(auto& visitors) {
  const auto stranger = std::find_if(visitors.begin(), visitors.end(), [](const auto& visitor) {
    return !visitor.interview.has_greeted();
  });
  return stranger == visitors.end() ? visitors.begin() : stranger;
}

}  // namespace llcl
