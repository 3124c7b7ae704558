#include "topo/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "topo/tests/machines.h"

namespace topo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> Pus(const Mapping& mapping) {
  std::vector<int> pus;
  for (const Slot& slot : mapping.slots()) pus.push_back(ToInt(slot.pu));
  return pus;
}

// Two packages of two cores of two PUs, numbered depth first; PU 1 and PU 4
// are forbidden, so the second hardware threads of cores 0 and 2 are alone.
Topology WithForbiddenPus() {
  MachineDescription machine{.source = "test machine"};
  for (int i = 0; i < 2; ++i) machine.nodes.push_back({.id = NodeId{i}, .memory_bytes = 1 << 20});
  for (int i = 0; i < 8; ++i) {
    machine.pus.push_back({.id = PuId{i},
                           .package = i / 4,
                           .core = i / 2,
                           .smt = i % 2,
                           .allowed = i != 1 && i != 4,
                           .near = {NodeId{i / 4}}});
  }
  return Topology(machine);
}

TEST(Mapping, ACoreThatLostItsFirstHardwareThreadStillCountsAsAWholeCore) {
  const Mapping mapping = *Plan(WithForbiddenPus(), Policy::kScatter, 6);
  // PU 5 is the only one of its core: rank 0, as good as any first thread.
  EXPECT_THAT(Pus(mapping), ElementsAre(0, 5, 2, 6, 3, 7));
  EXPECT_EQ(mapping[1].smt, 0);
  EXPECT_EQ(mapping[1].core, 0);
}

TEST(Mapping, ForbiddenPusAreNeverHandedOut) {
  const absl::StatusOr<Mapping> mapping = Plan(WithForbiddenPus(), Policy::kCompact, 7);
  EXPECT_EQ(mapping.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(mapping.status().message()),
              HasSubstr("7 threads do not fit 6 PUs of test machine"));
}

TEST(Mapping, OversubscribedThreadsGoRoundAndKeepCountingOrdinals) {
  const Mapping mapping = *Plan(WithForbiddenPus(), Policy::kCompact, 8,
                                {.oversubscribe = PlanOptions::Oversubscribe::kAllow});
  EXPECT_THAT(Pus(mapping), ElementsAre(0, 2, 3, 5, 6, 7, 0, 2));
  EXPECT_EQ(mapping[6].ordinal, 3);
  EXPECT_EQ(mapping.threads_on(0), 5);
}

TEST(Mapping, NodesAreListedInOrderOfFirstUse) {
  const std::vector<PuId> order = {PuId{6}, PuId{0}, PuId{7}};
  const Mapping mapping = *PlanInOrder(WithForbiddenPus(), order, 3);
  EXPECT_THAT(mapping.nodes(), ElementsAre(NodeId{1}, NodeId{0}));
  EXPECT_EQ(mapping.threads_on(0), 2);
  EXPECT_EQ(mapping.node_index(mapping[1]), 1);
  EXPECT_EQ(mapping.policy(), Policy::kUser);
}

TEST(Mapping, AUsersOrderIsRefusedForEachThingThatIsWrongWithIt) {
  const Topology topology = WithForbiddenPus();
  const auto refusal = [&](std::vector<PuId> order) {
    return std::string(PlanInOrder(topology, order, 1).status().message());
  };
  EXPECT_THAT(refusal({PuId{0}, PuId{99}}), HasSubstr("PU 99 does not exist"));
  EXPECT_THAT(refusal({PuId{0}, PuId{4}}), HasSubstr("PU 4 is not allowed"));
  EXPECT_THAT(refusal({PuId{0}, PuId{0}}), HasSubstr("PU 0 is named twice"));
  EXPECT_FALSE(PlanInOrder(topology, {}, 1).ok());
}

TEST(Mapping, PolicyNoneNamesNoPu) {
  const Mapping mapping = *Plan(WithForbiddenPus(), Policy::kNone, 3);
  for (const Slot& slot : mapping.slots()) {
    EXPECT_EQ(slot.pu, kAnyPu);
    EXPECT_EQ(slot.node, kAnyNode);
    EXPECT_EQ(slot.ordinal, slot.thread);
  }
  EXPECT_THAT(mapping.nodes(), ElementsAre(kAnyNode));
  EXPECT_EQ(Explain(mapping, 3), (Usage{.threads = 3}));
}

TEST(Mapping, AFilterByCoreKindUsesOnlyThoseCores) {
  MachineDescription machine{.source = "hybrid"};
  machine.nodes = {{.id = NodeId{0}, .memory_bytes = 1 << 20}};
  machine.core_kinds = {{"small", 0}, {"big", 1}};
  for (int i = 0; i < 6; ++i) {
    machine.pus.push_back({.id = PuId{i}, .core = i, .kind = i % 2, .near = {NodeId{0}}});
  }
  const Topology hybrid(machine);
  EXPECT_THAT(Pus(*Plan(hybrid, Policy::kCompactPlus, 3, {.core_kind = 1})), ElementsAre(1, 3, 5));
  EXPECT_THAT(Pus(*Plan(hybrid, Policy::kScatter, 2, {.core_kind = 0})), ElementsAre(0, 2));
  EXPECT_THAT(std::string(Plan(hybrid, Policy::kScatter, 4, {.core_kind = 0}).status().message()),
              HasSubstr("4 threads do not fit 3 PUs"));
  EXPECT_THAT(std::string(Plan(hybrid, Policy::kCompact, 1, {.core_kind = 2}).status().message()),
              HasSubstr("core kind 2 does not exist"));
}

TEST(Mapping, ZeroThreadsAreRefused) {
  EXPECT_THAT(std::string(Plan(WithForbiddenPus(), Policy::kScatter, 0).status().message()),
              HasSubstr("threads must be at least 1, not 0"));
}

TEST(Mapping, APuWhoseNodeIsForbiddenKeepsItsPlaceAndGetsTheNearestAllowedMemory) {
  MachineDescription machine{.source = "m"};
  for (int i = 0; i < 3; ++i) machine.nodes.push_back({.id = NodeId{i}, .memory_bytes = 1 << 20});
  machine.nodes[0].allowed = false;
  machine.distances = {10, 30, 20, 30, 10, 20, 20, 20, 10};
  for (int i = 0; i < 3; ++i) {
    machine.pus.push_back({.id = PuId{i}, .package = i, .core = i, .near = {NodeId{i}}});
  }
  const Mapping mapping = *Plan(Topology(machine), Policy::kScatter, 3);
  EXPECT_EQ(mapping[0].node, NodeId{0});
  EXPECT_EQ(mapping[0].memory, NodeId{2});  // distance 20, node 1 is at 30
  EXPECT_EQ(mapping[1].memory, NodeId{1});
}

TEST(Policy, EveryNameParsesToItselfAndOthersAreRefusedByName) {
  for (Policy policy : {Policy::kNone, Policy::kScatter, Policy::kCompact, Policy::kCompactPlus}) {
    EXPECT_EQ(*ParsePolicy(ToString(policy)), policy);
  }
  EXPECT_EQ(ParsePolicy("scater").status().message(),
            "unknown policy 'scater': expected none, scatter, compact or compact+");
}

}  // namespace
}  // namespace topo
