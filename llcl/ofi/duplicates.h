// Finds messages that come a second time, because their sender did not know that they had
// arrived. A message has its sender's number for this receiver; messages may come in any order.
#pragma once

#include <array>
#include <cstdint>

namespace llcl {

// For one sender. A value.
class Duplicates {
 public:
  // How far a number may be behind the largest one; a message further behind is taken for
  // a duplicate.
  static constexpr std::uint32_t kWindow = 4096;

  // True the first time. Numbers may wrap round.
  bool IsNew(std::uint32_t number) {
    const auto ahead = static_cast<std::int32_t>(number - next_);
    if (ahead >= 0) {
      // The messages between have not come yet.
      const std::uint32_t skipped = static_cast<std::uint32_t>(ahead) + 1;
      for (std::uint32_t i = 0; i < (skipped < kWindow ? skipped : kWindow); ++i) {
        Set(number - i, false);
      }
      next_ = number + 1;
    } else if (static_cast<std::uint32_t>(-ahead) > kWindow || Get(number)) {
      return false;
    }
    Set(number, true);
    return true;
  }

 private:
  bool Get(std::uint32_t number) const {
    return (seen_[number % kWindow / 64] >> number % 64 & 1) != 0;
  }
  void Set(std::uint32_t number, bool seen) {
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    std::uint64_t& word = seen_[number % kWindow / 64];
    word = seen ? word | bit : word & ~bit;
  }

  std::uint32_t next_ = 0;  // one more than the largest
  std::array<std::uint64_t, kWindow / 64> seen_ = {};
};

}  // namespace llcl
