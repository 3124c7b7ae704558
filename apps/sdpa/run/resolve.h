// The program's work, by its flags, its files and the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/program/checkpoint.h"
#include "apps/sdpa/measure/measure_elements.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/run/flags.h"
#include "apps/sdpa/solve/options.h"
#include "topo/topo.h"

namespace sdpa {

// A value: what to do.
struct Resolved {
  std::string name;
  Problem problem;
  std::optional<double> known;  // the value that is known
  bool has_integers = false;    // which the file asks for, and the problem does not
  Mode mode = Mode::kSolve;
  topo::Topology topology;
  std::vector<topo::Mapping> mappings;  // policies by thread counts
  ElementsPlan elements;                // of Mode::kElements
  Options options;                      // of the first mapping, and without the initial point
  std::optional<SolutionValues> initial;
  program::CheckpointOptions checkpoint;
};

// Looks at the machine and reads files. Errors are sentences that name flag or file;
// ResourceExhausted where matrices need more memory than there is.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace sdpa
