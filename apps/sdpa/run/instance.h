// The problem that flags name: read from a file, or made.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/run/flags.h"

namespace sdpa {

// A value.
struct Instance {
  std::string name;  // of a graph, with what was read: "theta of g.txt (5 vertices, 5 edges)"
  Problem problem;
  std::optional<double> known;  // the value that is known
  bool has_integers = false;    // which the file asks for, and the problem does not
};

// Errors are sentences that name flag or file; ResourceExhausted where a graph's problem would not
// fit into memory.
absl::StatusOr<Instance> ReadInstance(const Flags& flags);

}  // namespace sdpa
