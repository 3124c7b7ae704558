#include "llcl/conduit/neighbors.h"

#include <gtest/gtest.h>

namespace llcl {
namespace {

TEST(Neighbors, OfAWholeJobHavePositionsThatAreTheirNumbers) {
  const Neighbors all = Neighbors::All(3);
  EXPECT_EQ(all.size(), 3u);
  for (const int rank : {0, 1, 2}) {
    EXPECT_TRUE(all.Have(Rank{rank}));
    EXPECT_EQ(all.PositionOf(Rank{rank}), static_cast<std::size_t>(rank));
    EXPECT_EQ(all.rank(static_cast<std::size_t>(rank)), Rank{rank});
  }
}

TEST(Neighbors, OfAHostAreCountedFromZero) {
  const Neighbors some({Rank{1}, Rank{4}}, 6);
  EXPECT_EQ(some.size(), 2u);
  EXPECT_EQ(some.PositionOf(Rank{4}), 1u);
  EXPECT_EQ(some.rank(1), Rank{4});
  for (const int rank : {0, 2, 3, 5}) EXPECT_FALSE(some.Have(Rank{rank})) << rank;
}

}  // namespace
}  // namespace llcl
