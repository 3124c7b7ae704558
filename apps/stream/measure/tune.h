// Finds the fastest code of each kernel on this machine, by measuring.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "apps/stream/kernels/kernel.h"
#include "apps/stream/kernels/limit.h"
#include "apps/stream/team/team.h"

namespace stream {

// Seconds from before the team starts to after its last thread is done.
double TimeOf(Team& team, Sweep sweep, std::span<const Part> parts);

// The index of the candidate with the shortest of several runs. Candidates take
// turns, so that a slow moment of the machine hits all alike.
std::size_t Fastest(std::size_t candidates, const std::function<double(std::size_t)>& seconds_of);

// For each kernel the fastest of `codes` (not empty) on the first elements of
// each part. Leaves the arrays changed.
std::array<const Code*, kKernels.size()> Tune(Team& team, std::span<const Part> parts,
                                              std::span<const Code> codes);

// The fastest of `limits` (not empty) on those elements. Leaves the arrays changed.
const Limit& Tune(Team& team, std::span<const Part> parts, std::span<const Limit> limits);

}  // namespace stream
