#include "dsm/heap/blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>

namespace dsm {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{1} << 18;

TEST(Blocks, OverlapNotAndAreAlignedAndGiveAllBack) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  Blocks blocks(kBytes);
  std::map<std::uint64_t, std::uint64_t> oracle;  // bytes by offset
  int refused = 0;
  for (int step = 0; step < 50'000; ++step) {
    if (oracle.empty() || below(20) < 11) {
      const std::uint64_t bytes = below(10) == 0 ? 1 + below(40'000) : 1 + below(1 << below(12));
      const std::uint64_t alignment = below(4) == 0 ? std::uint64_t{1} << below(15) : 1;
      const auto at = blocks.Allocate(bytes, alignment);
      if (!at) {
        ++refused;
        continue;
      }
      ASSERT_EQ(*at % alignment, 0u) << bytes;
      ASSERT_LE(*at + bytes, kBytes);
      const auto next = oracle.lower_bound(*at);
      if (next != oracle.end()) {
        ASSERT_LE(*at + bytes, next->first);
      }
      if (next != oracle.begin()) {
        ASSERT_GE(*at, std::prev(next)->first + std::prev(next)->second);
      }
      oracle[*at] = bytes;
    } else {
      auto some = oracle.lower_bound(below(kBytes));
      if (some == oracle.end()) some = oracle.begin();
      const auto [at, bytes] = *some;
      ASSERT_FALSE(blocks.Free(at + 1, bytes));
      ASSERT_FALSE(blocks.Free(at, 50'000)) << "there is no block of so many bytes";
      ASSERT_TRUE(blocks.Free(at, bytes));
      ASSERT_FALSE(blocks.Free(at, bytes)) << "it is free already";
      oracle.erase(some);
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(blocks.used_bytes(), 0u);
  for (const auto& [at, bytes] : oracle) ASSERT_TRUE(blocks.Free(at, bytes));
  EXPECT_EQ(blocks.used_bytes(), 0u);
  EXPECT_EQ(blocks.Allocate(kBytes, 1), 0u) << "slabs without blocks are one range again";
}

TEST(Blocks, RefuseTooMuch) {
  Blocks blocks(kBytes);
  EXPECT_FALSE(blocks.Allocate(kBytes + 1, 1));
  EXPECT_FALSE(blocks.Allocate(~std::uint64_t{0}, 1));
  EXPECT_FALSE(blocks.Allocate(1, std::uint64_t{1} << 63));
  EXPECT_FALSE(blocks.Free(0, 1));
  EXPECT_TRUE(blocks.Allocate(kBytes, 1));
  EXPECT_FALSE(blocks.Allocate(1, 1));
}

}  // namespace
}  // namespace dsm
