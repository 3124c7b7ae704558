// sdpa's flags.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "apps/sdpa/problem.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace sdpa {

// A value. As written; Resolve checks what CLI11 does not.
struct Flags {
  std::string problem;
  std::string theta, max_cut;
  int iterations = 100;
  double tolerance = 1e-7;
  std::string write, output, json;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: what to solve.
struct Resolved {
  std::string name;
  Problem problem;
};

// Reads the file. Errors are sentences that name flag or file; ResourceExhausted where the Schur
// complement's matrix and the blocks need more memory than there is.
absl::StatusOr<Resolved> Resolve(const Flags& flags);

}  // namespace sdpa
