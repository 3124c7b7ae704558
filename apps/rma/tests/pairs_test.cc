// Whose memory the first rank reads, by the hosts of the ranks.
#include "apps/rma/problem/pairs.h"

#include <gtest/gtest.h>

#include <vector>

namespace rma {
namespace {

TEST(PairsTest, TheFirstRankReadsOnItsHostAndOnTheNext) {
  const std::vector<int> hosts = {0, 0, 1, 1};
  EXPECT_EQ(PartnerOf(hosts, Way::kInside), 1);
  EXPECT_EQ(PartnerOf(hosts, Way::kBeyond), 2);
  EXPECT_EQ(PartnerOf(hosts, Way::kAny), 3);
  // As launchers deal ranks to hosts in turn.
  EXPECT_EQ(PartnerOf({0, 1, 0, 1}, Way::kInside), 2);
  EXPECT_EQ(PartnerOf({0, 1, 0, 1}, Way::kBeyond), 1);
}

TEST(PairsTest, APairThatThereIsNotIsNone) {
  EXPECT_FALSE(PartnerOf({0, 1}, Way::kInside).has_value());
  EXPECT_FALSE(PartnerOf({0, 0}, Way::kBeyond).has_value());
  EXPECT_EQ(PartnerOf({0, 0}, Way::kAny), 1);
}

}  // namespace
}  // namespace rma
