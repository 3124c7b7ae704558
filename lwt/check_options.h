// What the options of a pool may be.
#pragma once

#include "absl/status/status.h"

namespace lwt {

struct PoolOptions;

// Smaller stacks hold no thread; larger ones, several at a time, no address space.
inline constexpr unsigned long long kLeastStackBytes = 16 << 10;
inline constexpr unsigned long long kMostStackBytes = 1ull << 36;

// InvalidArgument, with the field and its value, for what no pool can be made of.
absl::Status CheckOptions(const PoolOptions& options);

}  // namespace lwt
