// The paper's memory configuration file: how much of a node's memory a process uses, and what
// for.
//
//   # lines of a name and a value; a value is bytes (K, M, G, T: powers of 1024) or, but for
//   # `memory`, a part of that
//   memory 16G
//   home   50%      pages whose home is this process (the paper's local pages)
//   cache  30%      copies of others' pages
//   work   20%      the program's own: nothing is done about it but to check the sum
//
// `memory` comes first. Without `home` or `cache` these are not bounded.
//
// Pure. Source: [Mid18] section 2.2 names the file and what is in it, and not how.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dsm {

// A value; bytes, zero where there is no bound.
struct MemoryConfig {
  std::uint64_t memory = 0;
  std::uint64_t home = 0;
  std::uint64_t cache = 0;
  std::uint64_t work = 0;
};

// Errors: InvalidArgument, "FILE:LINE: what is wrong and what is expected".
absl::StatusOr<MemoryConfig> ParseMemoryConfig(std::string_view text, const std::string& file);

}  // namespace dsm
