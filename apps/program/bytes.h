// Sizes of memory as people write them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace program {

// "6GiB", "500MB", "4096". InvalidArgument for anything else, and for less than a byte.
absl::StatusOr<std::uint64_t> ParseBytes(std::string_view text);

// "512 bytes", "1 byte", "3.2 kB", "12.5 GB": powers of ten, with one digit after the point.
std::string FormatBytes(double bytes);

}  // namespace program
