// Names and secrets that nobody guesses.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace llcl {

// So many random bytes, as hexadecimal digits.
absl::StatusOr<std::string> RandomName(int bytes);

}  // namespace llcl
