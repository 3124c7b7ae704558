// Whose memory the first rank reads.
//
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "apps/rma/problem/point.h"

namespace rma {

// The rank that the first rank forms a pair with; none: there is no such rank. `hosts`: the host of
// each rank, by rank. kAny: the last rank.
std::optional<int> PartnerOf(const std::vector<int>& hosts, Way way);

}  // namespace rma
