// A file's bytes.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace sdpa {

// The whole file. "FILE: cannot be read: REASON" where it cannot be, as NotFound where there is
// none.
absl::StatusOr<std::string> ReadBytes(const std::string& file);

}  // namespace sdpa
