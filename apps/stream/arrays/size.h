// How large the arrays may be: the paper's 2^27 elements where memory allows.
//
// Source: [ULIBC14] section 3.3 (n = 2^27).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/stream/arrays/arrays.h"
#include "topo/topo.h"

namespace stream {

inline constexpr std::int64_t kPaperElements = std::int64_t{1} << 27;

// Doubles that a run has in memory at once for each element: a, b, c and the
// limit's sink, and the plain rows' own a, b, c.
inline constexpr std::int64_t kArraysAtOnce = 7;

// A value. A place that arrays take memory from.
struct Room {
  std::uint64_t available_bytes = 0;
  double share = 1;   // how much of each array lies here
  std::string where;  // for messages: empty for the whole system
};

// Where `mappings` would take memory from: the system, and with arrays on their
// threads' nodes each of those nodes with its largest share. Places whose
// available bytes are not known are left out.
std::vector<Room> Rooms(const topo::Topology& topology, std::span<const topo::Mapping> mappings,
                        Where where, const std::filesystem::path& root = "/");

// A value.
struct Size {
  std::int64_t elements = 0;
  std::string note;  // why it is not the paper's; empty if it is, or was asked for
};

// The size for `asked` elements an array (nullopt: the paper's) in those rooms
// and with that many threads. Pure. Takes at most four fifths of what any room
// has. InvalidArgument for fewer elements than threads or an absurd number;
// ResourceExhausted, naming both sizes, where what was asked for does not fit.
absl::StatusOr<Size> ChooseSize(std::optional<std::int64_t> asked, std::span<const Room> rooms,
                                int threads);

}  // namespace stream
