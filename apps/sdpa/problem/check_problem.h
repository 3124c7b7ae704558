// Is it a problem? A program may have filled it in. Pure.
#pragma once

#include "absl/status/status.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// InvalidArgument is one sentence with the matrix, block, row and column, in the numbers of
// problem.h, of the first fault: a matrix for each of F_0, ..., F_m, at least one constraint and
// block, blocks and elements in ascending order, each once, inside of their block and above the
// diagonal or on it, and finite numbers.
absl::Status CheckProblem(const Problem& problem);

}  // namespace sdpa
