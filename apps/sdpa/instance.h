// The problem that flags name: read from a file, or made.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apps/sdpa/flags.h"
#include "apps/sdpa/problem.h"

namespace sdpa {

// A value.
struct Instance {
  std::string name;
  Problem problem;
  std::optional<double> known;  // the value that is known
};

// Errors are sentences that name flag or file.
absl::StatusOr<Instance> ReadInstance(const Flags& flags);

// The whole file. NotFound where it cannot be read.
absl::StatusOr<std::string> ReadBytes(const std::string& file);

}  // namespace sdpa
