// The memory that a run needs, and that the machine has left.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// About what a solver needs for matrices of these blocks: X, Y, the inverse, factors, residual,
// products, directions and the best point.
double BytesOfBlockMatrices(const std::vector<Block>& blocks, bool is_double_double);

// The part of `most_bytes`, or, where that is not set, of all that the machine has left, that
// remains for the Schur complement's matrix, whose size is known when it has been analyzed.
// ResourceExhausted where nothing remains.
absl::StatusOr<double> BytesLeft(const Problem& problem, bool is_double_double,
                                 std::optional<double> most_bytes);

}  // namespace sdpa
