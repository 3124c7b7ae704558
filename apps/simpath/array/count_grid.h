// Counts the paths between opposite corners of a grid by arrays (words.h), modulo as many numbers
// as their size needs, and, unless it is asked not to, modulo one prime more, which checks.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "apps/program/checkpoint.h"
#include "apps/simpath/problem/count.h"
#include "topo/topo.h"

namespace simpath {

// A value.
struct GridProgress {
  int modulus = 0;  // of `moduli`, from 0
  int moduli = 0;
  int row = 0;  // of vertices, that are passed
  int rows = 0;
};

// A value.
struct GridOptions {
  std::function<void(const GridProgress&)> progress;
  // Written after a row of vertices. Threads and their places may be others when it is resumed.
  program::CheckpointOptions checkpoint;
  Check check = Check::kOn;
};

// By the threads of the mapping, each of which takes parts of the words in turn. One thread calls
// `progress`, which must not throw, while the other threads wait. Precondition: 1 <= cells <= 28.
// Errors: those of topo::Array, topo::RunThreads and program/checkpoint.h; Internal where the
// remainders do not agree.
absl::StatusOr<Count> CountGrid(int cells, const topo::Topology& topology,
                                const topo::Mapping& mapping, const GridOptions& options = {});

}  // namespace simpath
