// Names and secrets that cannot be guessed.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace llcl {

// That many random bytes, as hexadecimal digits.
absl::StatusOr<std::string> RandomName(int bytes);

}  // namespace llcl
