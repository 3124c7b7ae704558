#include "apps/predict/machine/machine.h"

#include "apps/predict/machine/known_machines.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "topo/topo.h"

namespace {

using predict::Machine;
using predict::Rates;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topo::NodeId;

Rates RatesOf(std::vector<std::pair<int, int>> links) {
  return {.memory_latency_ns = {80, 130, 180},
          .handoff_ns = {40, 120, 170},
          .node_gb_per_s = 36,
          .link_gb_per_s = 11,
          .links = std::move(links)};
}

absl::StatusOr<Machine> FourNodes(std::vector<std::pair<int, int>> links) {
  return Machine::Create("four", *topo::FromSynthetic("pack:4 [numa] core:2 pu:2"),
                         RatesOf(std::move(links)));
}

TEST(MachineTest, DataTakeAShortestWayOverTheLinks) {
  const auto ring = FourNodes({{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  ASSERT_TRUE(ring.ok()) << ring.status();
  EXPECT_THAT(ring->Route(NodeId{0}, NodeId{0}), IsEmpty());
  EXPECT_THAT(ring->Route(NodeId{0}, NodeId{1}), ElementsAre(0));
  EXPECT_THAT(ring->Route(NodeId{1}, NodeId{0}), ElementsAre(1));
  EXPECT_THAT(ring->Route(NodeId{0}, NodeId{2}), ElementsAre(0, 2));
  EXPECT_EQ(ring->MemoryLatencyNs(NodeId{0}, NodeId{3}), 130);
  EXPECT_EQ(ring->HandoffNs(NodeId{3}, NodeId{1}), 170);
}

TEST(MachineTest, ANodeThatNoLinkLeadsToIsRefused) {
  EXPECT_THAT(FourNodes({{0, 1}, {1, 2}}).status().message(),
              HasSubstr("no links lead from node 0 to node 3"));
}

TEST(MachineTest, AWayWithoutATimeIsRefused) {
  EXPECT_THAT(FourNodes({{0, 1}, {1, 2}, {2, 3}}).status().message(),
              HasSubstr("no times over 3 links, as from node 0 to node 3"));
}

TEST(MachineTest, TheKnownMachinesHaveThePapersShapes) {
  const auto sandy_bridge = predict::KnownMachine("4x-e5-4640");
  ASSERT_TRUE(sandy_bridge.ok()) << sandy_bridge.status();
  EXPECT_EQ(sandy_bridge->topology().cores(), 32);
  EXPECT_EQ(sandy_bridge->topology().allowed_pus(), 64);
  EXPECT_EQ(sandy_bridge->Links(NodeId{0}, NodeId{2}), 2);
  const auto westmere = predict::KnownMachine("4x-e7-4870");
  ASSERT_TRUE(westmere.ok()) << westmere.status();
  EXPECT_EQ(westmere->topology().cores(), 40);
  EXPECT_EQ(westmere->Links(NodeId{0}, NodeId{2}), 1);
}

}  // namespace
