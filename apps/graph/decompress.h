// Compressed bytes unpacked by the program of their format: gzip, zstd, xz or bzip2.
//
// A program of the system runs beside us, so that unpacking overlaps reading, a damaged file can do
// no harm here, and no library is needed to build this.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace graph {

// The program that unpacks bytes that begin so; none where they are not compressed.
std::optional<std::string> CompressionOf(std::string_view bytes);

// All bytes that `program -dc` makes of these. The program ends before this returns. Errors:
// FailedPrecondition where there is no such program, InvalidArgument where it says that the bytes
// are damaged or incomplete; both with the file's name.
absl::StatusOr<std::string> Decompress(const std::string& program, std::string_view file,
                                       std::string_view bytes);

}  // namespace graph
