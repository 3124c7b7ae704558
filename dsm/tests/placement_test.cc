#include "dsm/layout/placement.h"

#include <gtest/gtest.h>

#include "topo/discover.h"

namespace dsm {
namespace {

using topo::PuId;

std::vector<PuId> Pus(std::initializer_list<int> numbers) {
  std::vector<PuId> pus;
  for (const int number : numbers) pus.push_back(PuId{number});
  return pus;
}

// Two packages of four cores.
Placement On8(int rank, int ranks, int threads) {
  const auto machine = topo::FromSynthetic("pack:2 [numa] core:4 pu:1");
  const auto mapping = topo::Plan(*machine, topo::Policy::kCompact, 8);
  return Place(mapping->slots(), rank, ranks, threads);
}

TEST(Placement, CommunicationHasTheLastPuThatTheProgramLeaves) {
  EXPECT_EQ(On8(0, 1, 7), (Placement{Pus({0, 1, 2, 3, 4, 5, 6}), Pus({7})}));
  EXPECT_EQ(On8(0, 1, 3), (Placement{Pus({0, 1, 2}), Pus({7})}));
}

TEST(Placement, WhereTheProgramHasAllItMayBeAnyOfThem) {
  EXPECT_EQ(On8(0, 2, 4), (Placement{Pus({0, 1, 2, 3}), Pus({0, 1, 2, 3})}));
}

TEST(Placement, RanksOfAMachineTakeANodeEach) {
  EXPECT_EQ(On8(0, 2, 3), (Placement{Pus({0, 1, 2}), Pus({3})}));
  EXPECT_EQ(On8(1, 2, 3), (Placement{Pus({4, 5, 6}), Pus({7})}));
}

TEST(Placement, MoreRanksOrThreadsThanPusShareThem) {
  EXPECT_EQ(On8(3, 16, 1), (Placement{Pus({1}), Pus({1})}));
  EXPECT_EQ(On8(1, 4, 3), (Placement{Pus({2, 3, 2}), Pus({2, 3})}));
}

}  // namespace
}  // namespace dsm
