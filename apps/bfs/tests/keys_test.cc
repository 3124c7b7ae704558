#include "apps/bfs/problem/keys.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace bfs {
namespace {

using graph::Vertex;

TEST(ChooseKeys, AreDifferentVerticesWithEdges) {
  const auto even = [](Vertex vertex) { return vertex % 2 == 0; };
  const std::vector<Vertex> keys = ChooseKeys(1 << 20, kKeys, 1, even);
  EXPECT_EQ(keys.size(), 64u);
  EXPECT_EQ(std::set<Vertex>(keys.begin(), keys.end()).size(), 64u);
  for (const Vertex key : keys) {
    EXPECT_TRUE(even(key));
    EXPECT_LT(key, 1u << 20);
  }
}

TEST(ChooseKeys, DependOnTheSeedAlone) {
  const auto any = [](Vertex) { return true; };
  EXPECT_EQ(ChooseKeys(1000, 8, 3, any), ChooseKeys(1000, 8, 3, any));
  EXPECT_NE(ChooseKeys(1000, 8, 3, any), ChooseKeys(1000, 8, 4, any));
}

TEST(ChooseKeys, WhereFewVerticesHaveEdgesAllOfThemAreKeys) {
  const auto two = [](Vertex vertex) { return vertex == 77'777 || vertex == 3; };
  const std::vector<Vertex> keys = ChooseKeys(100'000, kKeys, 1, two);
  EXPECT_EQ(std::set<Vertex>(keys.begin(), keys.end()), (std::set<Vertex>{3, 77'777}));
  EXPECT_TRUE(ChooseKeys(100, kKeys, 1, [](Vertex) { return false; }).empty());
  EXPECT_TRUE(ChooseKeys(0, kKeys, 1, two).empty());
}

}  // namespace
}  // namespace bfs
