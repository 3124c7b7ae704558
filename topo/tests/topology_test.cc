#include "topo/topology.h"

#include <gtest/gtest.h>

#include "topo/tests/machines.h"

namespace topo {
namespace {

MachineDescription TwoNodes() {
  MachineDescription machine{.source = "two nodes"};
  machine.nodes = {{.id = NodeId{0}, .os_index = 0, .memory_bytes = 1 << 20},
                   {.id = NodeId{1}, .os_index = 73, .memory_bytes = 1 << 20}};
  machine.pus = {{.id = PuId{5}, .package = 7, .core = 30, .near = {NodeId{1}}},
                 {.id = PuId{2}, .package = 3, .core = 10, .near = {NodeId{0}}}};
  return machine;
}

TEST(Topology, NumbersPackagesAndCoresDenselyAndSortsPusByNode) {
  const Topology topology(TwoNodes());
  EXPECT_EQ(topology.pus()[0].id, PuId{2});
  EXPECT_EQ(topology.pus()[0].package, 0);
  EXPECT_EQ(topology.pus()[1].package, 1);
  EXPECT_EQ(topology.pus()[1].core, 1);
  EXPECT_EQ(topology.packages(), 2);
  EXPECT_EQ(topology.cores(), 2);
}

TEST(Topology, FindsPusByTheOperatingSystemsNumberOnly) {
  const Topology topology(TwoNodes());
  EXPECT_EQ(topology.Find(PuId{5})->near[0], NodeId{1});
  EXPECT_EQ(topology.Find(PuId{3}), nullptr);
  EXPECT_EQ(topology.Find(PuId{-1}), nullptr);
  EXPECT_EQ(topology.Find(PuId{1000}), nullptr);
}

TEST(Topology, ACpuQuotaLimitsTheThreadsThatAreWorthHaving) {
  MachineDescription machine = TwoNodes();
  EXPECT_EQ(Topology(machine).default_threads(), 2);
  machine.cpu_quota = 0.2;
  EXPECT_EQ(Topology(machine).default_threads(), 1);
  // Threads beyond the quota would be stopped in the middle while others wait for them.
  machine.cpu_quota = 1.01;
  EXPECT_EQ(Topology(machine).default_threads(), 1);
  machine.cpu_quota = 1.5;
  EXPECT_EQ(Topology(machine).default_threads(), 2);
  machine.cpu_quota = 64;
  EXPECT_EQ(Topology(machine).default_threads(), 2);
}

TEST(Topology, TheNearestNodeOfATierIsPickedOrNoneIsNamed) {
  MachineDescription machine = TwoNodes();
  machine.nodes.push_back(
      {.id = NodeId{2}, .memory_bytes = 1 << 20, .tier = MemoryTier::kHighBandwidth});
  machine.pus[0].near = {NodeId{1}, NodeId{2}};
  const Topology topology(machine);
  EXPECT_EQ(topology.NodeNear(PuId{5}), NodeId{1});
  EXPECT_EQ(topology.NodeNear(PuId{5}, MemoryTier::kHighBandwidth), NodeId{2});
  EXPECT_EQ(topology.NodeNear(PuId{2}, MemoryTier::kHighBandwidth), NodeId{2});
  EXPECT_EQ(topology.NodeNear(PuId{2}, MemoryTier::kDevice), kAnyNode);
}

TEST(Topology, ALocalNodeWithoutMemoryIsPassedOverForTheNearestThatHasSome) {
  MachineDescription machine = TwoNodes();
  machine.nodes[1].memory_bytes = 0;
  EXPECT_EQ(Topology(machine).NodeNear(PuId{5}), NodeId{0});
  EXPECT_EQ(Topology(machine).Home(*Topology(machine).Find(PuId{5})), NodeId{1});
  machine.nodes[0].memory_bytes = 0;  // no size is known
  EXPECT_EQ(Topology(machine).NodeNear(PuId{5}), NodeId{1});
}

TEST(TopologyDeathTest, ABrokenDescriptionNamesWhatIsWrongWithIt) {
  MachineDescription machine = TwoNodes();
  machine.pus[0].near = {NodeId{9}};
  EXPECT_DEATH(Topology{machine}, "two nodes: a PU is near a node that does not exist");
  machine = TwoNodes();
  machine.pus[0].id = machine.pus[1].id;
  EXPECT_DEATH(Topology{machine}, "two PUs have one number");
  machine = TwoNodes();
  for (Pu& pu : machine.pus) pu.allowed = false;
  EXPECT_DEATH(Topology{machine}, "no PU that is allowed");
  machine = TwoNodes();
  machine.distances = {10};
  EXPECT_DEATH(Topology{machine}, "distances are not nodes x nodes");
}

}  // namespace
}  // namespace topo
