// What all contestants measure: the paths of graphs whose counts are known.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"

namespace simpath {

// Counts the paths by so many threads.
using Counter = std::function<absl::StatusOr<Count>(const Problem& problem, int threads)>;

// Parses the flags, and runs rows `grid:11/NAME/threads:K`, of 11 x 11 cells, and
// `king:8/NAME/threads:K`, of the moves of a king on 8 x 8 squares, both from corner to opposite
// corner, row by row; for 1 thread and for as many as the machine runs at once. A wrong count ends
// the process. Returns the exit code.
int RunCounts(int argc, char** argv, const char* name, const Counter& counter);

}  // namespace simpath
