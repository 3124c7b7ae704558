#include "apps/bfs/hubs/bitmap.h"

#include <gtest/gtest.h>

#include <vector>

namespace bfs {
namespace {

TEST(Bitmap, SetBitsLeavesWordsOutsideAsTheyAre) {
  std::vector<std::uint64_t> words(4, 8);
  SetBits(std::vector<graph::Vertex>{0, 64, 65, 127, 130, 200}, words.data(), 1, 3);
  EXPECT_EQ(words, (std::vector<std::uint64_t>{8, BitOf(63) | 8 | 3, 8 | 4, 8}));
}

TEST(Bitmap, BitsAreVisitedUpward) {
  std::vector<unsigned> bits;
  ForEachBit(BitOf(63) | BitOf(5) | 1, [&](unsigned i) { bits.push_back(i); });
  EXPECT_EQ(bits, (std::vector<unsigned>{0, 5, 63}));
}

TEST(Bitmap, LowBitsEndAtAWord) {
  EXPECT_EQ(LowBits(0), 0u);
  EXPECT_EQ(LowBits(3), 7u);
  EXPECT_EQ(LowBits(64), ~std::uint64_t{0});
  EXPECT_EQ(LowBits(1000), ~std::uint64_t{0});
}

}  // namespace
}  // namespace bfs
