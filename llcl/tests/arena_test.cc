#include "llcl/messenger/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

namespace llcl {
namespace {

TEST(Arena, GivesAllOfItselfAndNothingMore) {
  Arena arena(1000);
  EXPECT_EQ(arena.TryTake(1001), std::nullopt);
  EXPECT_EQ(arena.TryTake(1000), 0u);
  EXPECT_EQ(arena.TryTake(1), std::nullopt);
  arena.Free(0);
  EXPECT_TRUE(arena.empty());
  EXPECT_EQ(arena.TryTake(1000), 0u);
}

TEST(Arena, FillsTheFirstGapThatFits) {
  Arena arena(1024);
  ASSERT_EQ(arena.TryTake(128), 0u);
  ASSERT_EQ(arena.TryTake(256), 128u);
  ASSERT_EQ(arena.TryTake(128), 384u);
  arena.Free(0);
  arena.Free(384);
  EXPECT_EQ(arena.TryTake(129), 384u);
  EXPECT_EQ(arena.TryTake(128), 0u);
}

TEST(Arena, NeverGivesAByteTwiceAndRefusesOnlyWhereNoGapFits) {
  constexpr std::uint64_t kBytes = 4000;
  std::mt19937_64 random(7);
  Arena arena(kBytes);
  std::map<std::uint64_t, std::uint64_t> taken;  // begin, end
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 2 == 0 && !taken.empty()) {
      auto gone = taken.begin();
      std::advance(gone, random() % taken.size());
      arena.Free(gone->first);
      taken.erase(gone);
      continue;
    }
    const std::uint64_t bytes = 1 + random() % (random() % 3 == 0 ? 2000 : 200);
    std::uint64_t largest = 0, gap = 0;
    for (const auto& [begin, end] : taken) {
      largest = std::max(largest, begin > gap ? begin - gap : 0);
      gap = (end + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
    }
    largest = std::max(largest, gap < kBytes ? kBytes - gap : 0);
    const auto at = arena.TryTake(bytes);
    ASSERT_EQ(at.has_value(), bytes <= largest);
    if (!at) continue;
    ASSERT_LE(*at + bytes, kBytes);
    const auto next = taken.lower_bound(*at);
    ASSERT_TRUE(next == taken.end() || *at + bytes <= next->first);
    ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= *at);
    taken[*at] = *at + bytes;
  }
}

}  // namespace
}  // namespace llcl
