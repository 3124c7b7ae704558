// What a steal costs, derived from rows that were measured beside each other.
//
// The processor's own counters of cache misses are not used: many systems permit
// only root to read them, virtual machines often lack them, and they are of
// an OS thread, not of a steal. Simulated workers have caches of their own, whose
// every block is counted; for real workers there is an upper bound.
//
// Source: the question that [NNT13] section 4 leaves open.
#pragma once

#include <vector>

#include "apps/matmul/measure/measure.h"

namespace matmul {

// Fills in, where steals happened:
//   simulated: extra_blocks_per_steal, the blocks that were fetched beyond cutoff's
//     with as many workers, by steals. Negative where cutoff fetched more.
//   real: lost_ns_per_steal, the workers' time beyond the time of one worker in the
//     same variant, by steals. It is a bound: all time that several workers lose counts
//     as the steals', also that of waiting at the end and of shared memory.
// Not for ideal, whose time is one worker's.
void TakeStealCosts(std::vector<Row>& rows);

}  // namespace matmul
