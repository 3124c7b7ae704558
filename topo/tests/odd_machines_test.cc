// Machines that real hwloc users have reported, in small, as XML written for
// this test: offline PUs, cpusets, missing nodes, tiers, hybrid cores, holes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "topo/describe.h"
#include "topo/draw.h"
#include "topo/mapping.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Topology Odd(const std::string& name) {
  absl::StatusOr<Topology> topology = FromXml("topo/tests/machines/" + name + ".xml");
  if (!topology.ok()) ADD_FAILURE() << topology.status();
  return *topology;
}

std::vector<int> Pus(const Topology& topology, Policy policy, const PlanOptions& options = {}) {
  int usable = 0;
  for (const Pu& pu : topology.pus()) {
    usable += pu.allowed && (!options.core_kind || pu.kind == *options.core_kind);
  }
  const absl::StatusOr<Mapping> mapping = Plan(topology, policy, usable, options);
  if (!mapping.ok()) ADD_FAILURE() << mapping.status();
  std::vector<int> pus;
  for (const Slot& slot : mapping->slots()) pus.push_back(ToInt(slot.pu));
  return pus;
}

TEST(OddMachines, OfflinePusAreCountedAndEveryOtherOneIsMapped) {
  const Topology topology = Odd("offline_pus");
  EXPECT_EQ(topology.offline_pus(), 2);
  EXPECT_EQ(topology.allowed_pus(), 6);
  EXPECT_THAT(Pus(topology, Policy::kScatter), ElementsAre(0, 4, 1, 5, 2, 7));
  EXPECT_THAT(Pus(topology, Policy::kCompact), ElementsAre(0, 1, 2, 4, 5, 7));
}

TEST(OddMachines, ACpusetWithItsMemoryElsewhereKeepsThreadsApartAndUsesAllowedMemory) {
  const Topology topology = Odd("memory_elsewhere");
  const Mapping mapping = *Plan(topology, Policy::kScatter, 4);
  std::vector<int> nodes, memory;
  for (const Slot& slot : mapping.slots()) {
    nodes.push_back(ToInt(slot.node));
    memory.push_back(ToInt(slot.memory));
  }
  EXPECT_THAT(nodes, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(memory, ElementsAre(2, 2, 2, 2));
  EXPECT_FALSE(Plan(topology, Policy::kScatter, 5).ok());
}

TEST(OddMachines, PusWithoutANodeJoinTheNodeThatTheirMemoryComesFrom) {
  const Topology topology = Odd("pus_without_node");
  EXPECT_THAT(topology.Find(PuId{2})->near, IsEmpty());
  EXPECT_EQ(topology.Home(*topology.Find(PuId{2})), NodeId{0});
  EXPECT_THAT(Pus(topology, Policy::kCompact), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(topology.NodeNear(PuId{3}), NodeId{0});
}

TEST(OddMachines, APuWithTwoTiersBelongsToOrdinaryMemoryAndCanAskForTheFastOne) {
  const Topology topology = Odd("two_tiers");
  EXPECT_THAT(topology.Find(PuId{5})->near, ElementsAre(NodeId{1}, NodeId{3}));
  EXPECT_EQ(topology.NodeNear(PuId{5}), NodeId{1});
  EXPECT_EQ(topology.NodeNear(PuId{5}, MemoryTier::kHighBandwidth), NodeId{3});
  EXPECT_THAT(Pus(topology, Policy::kScatter), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
  EXPECT_THAT(DescribeTree(topology), HasSubstr("NUMA node 3: 8 GiB, HBM memory [same PUs]"));
}

TEST(OddMachines, HybridCoresHaveKindsThatAPlanCanChoose) {
  const Topology topology = Odd("hybrid");
  ASSERT_EQ(topology.core_kinds().size(), 2u);
  EXPECT_EQ(topology.core_kinds()[1].name, "IntelCore");
  EXPECT_THAT(Pus(topology, Policy::kCompactPlus), ElementsAre(0, 2, 4, 5, 6, 7, 1, 3));
  EXPECT_THAT(Pus(topology, Policy::kCompactPlus, {.core_kind = 1}), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Pus(topology, Policy::kCompact, {.core_kind = 0}), ElementsAre(4, 5, 6, 7));
}

TEST(OddMachines, NodeNumbersWithHolesBecomeDenseAndKeepTheirOwn) {
  const Topology topology = Odd("sparse_nodes");
  ASSERT_EQ(topology.nodes().size(), 3u);
  EXPECT_EQ(topology.nodes()[2].os_index, 73);
  EXPECT_EQ(topology.Home(*topology.Find(PuId{5})), NodeId{2});
  EXPECT_THAT(Pus(topology, Policy::kScatter), ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(OddMachines, MemoryThatNoPuIsNearToIsFarAndUsedOnlyWhenAskedFor) {
  const Topology topology = Odd("memory_only_node");
  EXPECT_EQ(topology.nodes()[2].tier, MemoryTier::kFar);
  EXPECT_THAT(topology.Find(PuId{0})->near, ElementsAre(NodeId{0}));
  EXPECT_EQ(topology.NodeNear(PuId{3}, MemoryTier::kFar), NodeId{2});
  EXPECT_EQ(topology.Distance(NodeId{1}, NodeId{2}), 24u);
  EXPECT_THAT(DescribeTree(topology), HasSubstr("256 GiB, far memory [no PU of its own]"));
}

TEST(OddMachines, AMachineWithoutCoresHasACoreForEachPu) {
  const Topology topology = Odd("no_cores");
  EXPECT_EQ(topology.cores(), 3);
  EXPECT_EQ(topology.packages(), 1);
  EXPECT_THAT(Pus(topology, Policy::kCompactPlus), ElementsAre(2, 5, 9));
}

TEST(OddMachines, EveryOneCanBeDrawn) {
  for (const char* name : {"hybrid", "memory_elsewhere", "memory_only_node", "no_cores",
                           "offline_pus", "pus_without_node", "sparse_nodes", "two_tiers"}) {
    const Topology topology = Odd(name);
    EXPECT_THAT(DrawSvg(topology, *Plan(topology, Policy::kScatter, 1)), HasSubstr("</svg>"));
  }
}

}  // namespace
}  // namespace topo
