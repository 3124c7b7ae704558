#include "dsm/layout/parts.h"

#include <gtest/gtest.h>

#include <set>

namespace dsm {
namespace {

using Ranges = std::vector<ByteRange>;

TEST(Parts, RowsThatFollowEachOtherAreOneRange) {
  const ArrayShape array = {{4, 5, 6}, 8};
  EXPECT_EQ(*BytesOfPart(array, {{1, 0, 0}, {3, 5, 6}}, 0), (Ranges{{1 * 30 * 8, 3 * 30 * 8}}));
  EXPECT_EQ(*BytesOfPart(array, {{0, 0, 0}, {4, 5, 6}}, 0), (Ranges{{0, 4 * 5 * 6 * 8}}));
}

TEST(Parts, OthersAreARangeEachUnlessTheyAreClose) {
  const ArrayShape array = {{3, 10}, 1};
  const Bounds part = {{0, 2}, {3, 4}};
  EXPECT_EQ(*BytesOfPart(array, part, 0), (Ranges{{2, 4}, {12, 14}, {22, 24}}));
  EXPECT_EQ(*BytesOfPart(array, part, 7), (Ranges{{2, 4}, {12, 14}, {22, 24}}));
  EXPECT_EQ(*BytesOfPart(array, part, 8), (Ranges{{2, 24}}));
}

TEST(Parts, ARowIsAPart) {
  EXPECT_EQ(*BytesOfPart({{100}, 4}, {{10}, {20}}, 0), (Ranges{{40, 80}}));
}

TEST(Parts, NothingIsNoRange) {
  EXPECT_TRUE(BytesOfPart({{10, 10}, 4}, {{3, 3}, {3, 9}}, 0)->empty());
}

TEST(Parts, HoldEachElementOfThePartAndNoOther) {
  const ArrayShape array = {{5, 4, 7, 3}, 2};
  const Bounds part = {{1, 0, 2, 1}, {4, 3, 6, 3}};
  std::set<std::uint64_t> expected, got;
  for (std::uint64_t i = 1; i < 4; ++i) {
    for (std::uint64_t j = 0; j < 3; ++j) {
      for (std::uint64_t k = 2; k < 6; ++k) {
        for (std::uint64_t l = 1; l < 3; ++l) {
          const std::uint64_t element = ((i * 4 + j) * 7 + k) * 3 + l;
          expected.insert(2 * element);
          expected.insert(2 * element + 1);
        }
      }
    }
  }
  const Ranges ranges = *BytesOfPart(array, part, 0);
  for (const ByteRange& range : ranges) {
    for (std::uint64_t byte = range.first; byte < range.last; ++byte) {
      EXPECT_TRUE(got.insert(byte).second) << byte << " is there twice";
    }
  }
  EXPECT_EQ(got, expected);
}

TEST(Parts, APartOutsideTheArrayIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(BytesOfPart({{10}, 4}, {{0}, {11}}, 0).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(BytesOfPart({{10}, 4}, {{5}, {4}}, 0).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(BytesOfPart({{10, 2}, 4}, {{0}, {4}}, 0).status()));
}

}  // namespace
}  // namespace dsm
