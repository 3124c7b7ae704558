// How large a machine a description in hwloc's synthetic language is. hwloc makes each object that
// is described, whatever time and memory that takes: so the sizes are multiplied first.
//
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace topo {

// Objects of a kind: twice as many PUs as Linux is built for.
inline constexpr std::uint64_t kMostSynthetic = 1 << 14;
// hwloc's steps: it compares each new object with the objects of the same parents. So many steps
// took 2 to 5 s on a machine of 2.1 GHz.
inline constexpr std::uint64_t kMostSyntheticSteps = 1 << 23;
// Of a PU or a node, in `indexes=`: hwloc has a bit for each number up to it, several times an
// object.
inline constexpr std::uint64_t kMostSyntheticIndex = 1 << 16;

// InvalidArgument names the word at which the description goes beyond these. Words that make no
// sense are hwloc's to refuse.
absl::Status CheckSyntheticSize(std::string_view description);

}  // namespace topo
