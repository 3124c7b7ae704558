// The two forms of a C collective operation, and the sizes of its blocks.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>

#include "llcl/c/completion.h"
#include "llcl/c/handles.h"
#include "llcl/c/results.h"
#include "llcl/c/status.h"

namespace llcl::c {

// The form of a collective operation that waits.
struct Waits {
  template <typename Post>
  llcl_status operator()(const char* call, llcl_team& team, Post post) const {
    const llcl_status status = Wait(call, *team.job, post);
    if (status != LLCL_DISAGREEMENT) return status;
    return Guarded(call, [&] { return Ended(call, status, team.team->disagreement()); });
  }
};
// The form that returns at once.
struct Begins {
  llcl_completion* then;
  template <typename Post>
  llcl_status operator()(const char* call, llcl_team&, Post post) const {
    return Try(call, [&] { return post(CompletionOf(then)); });
  }
};

using Sizes = std::span<const std::size_t>;

inline std::size_t SizeOf(const llcl_team& team) {
  return static_cast<std::size_t>(team.team->size());
}
inline std::size_t Sum(Sizes sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}
// This rank's; 0 where it is no member.
inline std::size_t OwnOf(Sizes sizes, const llcl_team& team) {
  return team.team->rank() < 0 ? 0 : sizes[static_cast<std::size_t>(team.team->rank())];
}

}  // namespace llcl::c
