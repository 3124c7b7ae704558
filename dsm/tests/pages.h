// Pages for tests: random ones, changed ones, and ones with a guard around them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace dsm {

using Bytes = std::vector<std::byte>;

inline Bytes RandomBytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

struct Changes {
  double share = 0;       // of the pieces
  std::size_t piece = 1;  // bytes that change together, or do not
};

// `twin` with the changes; a byte that is to change does.
inline Bytes Changed(Bytes twin, unsigned seed, const Changes& changes) {
  std::mt19937 random(seed);
  std::bernoulli_distribution changed(changes.share);
  std::uniform_int_distribution<int> flip(1, 255);
  for (std::size_t at = 0; at < twin.size();) {
    const bool now = changed(random);
    for (std::size_t i = 0; i < changes.piece && at < twin.size(); ++i, ++at) {
      if (now) twin[at] ^= static_cast<std::byte>(flip(random));
    }
  }
  return twin;
}

// Bytes with others before and behind them that nobody may write to: a sanitizer does not
// see what instructions for vectors do.
class Guarded {
 public:
  explicit Guarded(std::span<const std::byte> bytes)
      : all_(bytes.size() + 2 * kGuard, kPattern), count_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), all_.begin() + kGuard);
  }
  std::span<std::byte> bytes() { return {all_.data() + kGuard, count_}; }
  bool IsIntact() const {
    for (std::size_t i = 0; i < kGuard; ++i) {
      if (all_[i] != kPattern || all_[kGuard + count_ + i] != kPattern) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 128;
  static constexpr std::byte kPattern{0xa5};
  Bytes all_;
  std::size_t count_;
};

}  // namespace dsm
