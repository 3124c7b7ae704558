// Room for messages in one stretch of memory: each gets the first gap that it fits in.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace llcl {

// A value.
class Arena {
 public:
  static constexpr std::uint64_t kAlignment = 64;

  explicit Arena(std::uint64_t bytes) : bytes_(bytes) {}

  // Where so many bytes have room; nothing where there is no such gap.
  std::optional<std::uint64_t> TryTake(std::uint64_t bytes) {
    std::uint64_t gap = 0;
    for (const auto& [begin, end] : taken_) {
      if (begin - gap >= bytes) break;
      gap = (end + kAlignment - 1) / kAlignment * kAlignment;
    }
    if (gap > bytes_ || bytes > bytes_ - gap) return std::nullopt;
    taken_[gap] = gap + bytes;
    return gap;
  }
  // Precondition: `at` is TryTake's.
  void Free(std::uint64_t at) { taken_.erase(at); }

  bool empty() const { return taken_.empty(); }

 private:
  std::uint64_t bytes_;
  std::map<std::uint64_t, std::uint64_t> taken_;  // where each begins, and ends
};

}  // namespace llcl
