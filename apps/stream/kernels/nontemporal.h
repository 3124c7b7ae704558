// The kernels with non-temporal stores: "tuned" in STREAM's words.
//
// An ordinary store to a line that is not in the cache reads the line first;
// for Triad that is a third read beside the two that the kernel names. A
// non-temporal store of a whole line does not. Which vector width and which
// prefetch is fastest differs by processor (Zen 4 takes two half-line stores
// faster than one of a whole line, Sapphire Rapids the other way round), so
// there are several codes, and tune.h picks by measuring.
#pragma once

#include <vector>

#include "apps/stream/kernels/kernel.h"

namespace stream {

// The codes that this processor can run, each with exactly the results of
// PlainCode(). Empty on one that has no AVX2.
std::vector<Code> NonTemporalCodes();

}  // namespace stream
