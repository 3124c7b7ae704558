// How the ranks of a job exchange bytes through the key-value space of a process manager, which
// PMI-1 and PMIx have: each rank puts its bytes in parts, all meet at a fence, each gets the
// others' parts.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/language.h"

namespace llcl {

// The space as one rank sees it. Keys are words of letters, digits and '-'.
class KeyValueSpace {
 public:
  virtual ~KeyValueSpace() = default;
  // How long a value may be; 2 or more.
  virtual std::size_t most_bytes() const = 0;
  // `value` has 1 to most_bytes() bytes, of any values.
  virtual absl::Status Put(const std::string& key, const std::string& value) = 0;
  // Returns when all ranks have called it: from there on each can get what the others put before.
  virtual absl::Status Fence() = 0;
  virtual absl::StatusOr<std::string> Get(int rank, const std::string& key) = 0;
};

// The bytes of all `size` ranks, by rank. All ranks call it, with a `round` that was not used
// before. Errors: those of `space`; Unavailable where a value is not as it was put.
absl::StatusOr<std::vector<std::string>> Allgather(KeyValueSpace& space, int size, int round,
                                                   std::string_view mine);

}  // namespace llcl
