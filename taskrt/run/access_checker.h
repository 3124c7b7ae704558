// Finds tasks that write what they said they only read: the bytes of such blocks are summed before
// and after the task's body. For bodies that run in the host's memory.
//
// Threads: one. A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/task/block.h"
#include "taskrt/task/task.h"
#include "taskrt/tile.h"

namespace taskrt {

class AccessChecker {
 public:
  // `tiles`: what the task's body sees.
  AccessChecker(const Task& task, std::span<const Tile> tiles) : task_(task), tiles_(tiles) {
    for (std::size_t i = 0; i < tiles.size(); ++i) sums_.push_back(SumOf(i));
  }

  // PermissionDenied names the block that was changed.
  absl::Status Compare() const {
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (SumOf(i) == sums_[i]) continue;
      return absl::PermissionDeniedError(absl::StrCat(
          "it has written ", task_.accesses()[i].block->name, ", which it said it only reads"));
    }
    return absl::OkStatus();
  }

 private:
  // Of what is only read; FNV-1a, by words.
  std::uint64_t SumOf(std::size_t access) const {
    if (task_.accesses()[access].mode != Mode::kIn) return 0;
    const Tile& tile = tiles_[access];
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::uint64_t row = 0; row < tile.rows; ++row) {
      const std::byte* const at = tile.data + row * tile.stride;
      for (std::uint64_t byte = 0; byte < tile.row_bytes; byte += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, at + byte, std::min<std::uint64_t>(sizeof(word), tile.row_bytes - byte));
        sum = (sum ^ word) * 0x100000001b3;
      }
    }
    return sum;
  }

  const Task& task_;
  const std::span<const Tile> tiles_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace taskrt
