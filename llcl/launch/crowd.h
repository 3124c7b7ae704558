// Chooses the caller to leave when too many have not proved themselves.
//
// Threads: one at a time.
#pragma once

#include <algorithm>

namespace llcl {

// `visitors`: not empty, the oldest first. Returns the oldest visitor without a greeting
// (authentication.h), so no number of strangers pushes out a rank after its greeting; the oldest of
// all where each has greeted, as greetings can be repeated by who has seen them.
auto FirstToLeave(auto& visitors) {
  const auto stranger = std::find_if(visitors.begin(), visitors.end(), [](const auto& visitor) {
    return !visitor.interview.has_greeted();
  });
  return stranger == visitors.end() ? visitors.begin() : stranger;
}

}  // namespace llcl
