// How large the arrays may be: the paper's 2^27 elements where memory allows.
//
// Source: [ULIBC14] section 3.3 (n = 2^27).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace stream {

inline constexpr std::int64_t kPaperElements = std::int64_t{1} << 27;

// Doubles that a run has in memory at once for each element: a, b, c and the
// limit's sink, and the plain rows' own a, b, c.
inline constexpr std::int64_t kArraysAtOnce = 7;

// "MemAvailable:  123 kB" of a /proc/meminfo in bytes; nullopt without it.
std::optional<std::uint64_t> ParseMemAvailable(std::string_view meminfo);

// What this process may still take, in bytes: what the system has available, or
// less where the limit of one of its cgroups (version 1 or 2) leaves less.
// nullopt where nothing tells. `root` is "/" except in tests.
std::optional<std::uint64_t> AvailableBytes(const std::filesystem::path& root = "/");

// A value.
struct Size {
  std::int64_t elements = 0;
  std::string note;  // why it is not the paper's; empty if it is, or was asked for
};

// The size for `asked` elements an array (nullopt: the paper's) with that much
// memory and that many threads. Pure. Takes at most four fifths of what is
// available. InvalidArgument for fewer elements than threads or an absurd
// number; ResourceExhausted, naming both sizes, where what was asked for does
// not fit.
absl::StatusOr<Size> ChooseSize(std::optional<std::int64_t> asked,
                                std::optional<std::uint64_t> available_bytes, int threads);

}  // namespace stream
