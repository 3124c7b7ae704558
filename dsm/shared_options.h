// The options that are the same on all ranks, as ranks tell each other.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "dsm/options.h"

namespace dsm {

// A value; sent as it is.
struct SharedOptions {
  std::uint64_t bytes = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t base = 0;  // 0: each rank has its own
  std::uint64_t home_bytes = 0;
  std::uint64_t finds_races = 0;
  std::uint64_t threads = 0;
  std::uint64_t handlers = 0;  // how many
  friend bool operator==(const SharedOptions&, const SharedOptions&) = default;
};

SharedOptions SharedOptionsOf(const SpaceOptions& options, std::uintptr_t base);

// Have all ranks the options of `rank`? `all`: by rank. Errors: FailedPrecondition, with this rank
// and the first other one, and what both have.
absl::Status CheckSame(std::span<const SharedOptions> all, int rank);

}  // namespace dsm
