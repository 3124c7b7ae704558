// Counts by walking every path or cycle, one after the other: for bounds of a few edges. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/simpath/problem/problem.h"

namespace simpath {

// The number of the problem's paths or cycles; none if more than `most_steps` edges would be looked
// at. Any rule and bound; weights are ignored. Precondition: source and target are different if the
// rule has them.
std::optional<std::uint64_t> CountByWalking(const Problem& problem, std::uint64_t most_steps);

// The same paths and cycles against the direction of the edges: with vertices in reverse order, and
// source and target exchanged.
Problem Reversed(const Problem& problem);

}  // namespace simpath
