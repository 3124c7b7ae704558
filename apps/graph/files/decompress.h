// Compressed bytes unpacked by the program of their format: gzip, zstd, xz or bzip2.
//
// A program of the system runs beside us, so that unpacking overlaps reading, a damaged file can do
// no harm here, and no library is needed to build this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace graph {

// The program that unpacks bytes that begin so; none where they are not compressed.
std::optional<std::string> CompressionOf(std::string_view bytes);

// All bytes that `program -dc` makes of these. The program ends before this returns. Errors, with
// the file's name: FailedPrecondition where there is no such program, or its exit status is lost;
// InvalidArgument where it says that the bytes are damaged or incomplete; ResourceExhausted where
// it makes more than `most_bytes`.
absl::StatusOr<std::string> Decompress(const std::string& program, std::string_view file,
                                       std::string_view bytes, std::uint64_t most_bytes);

}  // namespace graph
