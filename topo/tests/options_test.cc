// Every field of every options struct, and every value that a plan or an allocation is asked for,
// at its extremes: it works, or a sentence names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "topo/mapping.h"
#include "topo/memory.h"
#include "topo/tests/machines.h"
#include "topo/topology.h"

namespace topo {
namespace {

using testing::HasSubstr;

constexpr int kIntMin = std::numeric_limits<int>::min(), kIntMax = std::numeric_limits<int>::max();
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 4 packages of 8 cores of 2 PUs.
struct OfPlan {
  const char* refused;  // a part of the sentence; empty: it works
  Policy policy = Policy::kScatter;
  int threads = 1;
  PlanOptions options = {};
};
constexpr PlanOptions kOversubscribed = {.oversubscribe = PlanOptions::Oversubscribe::kAllow};

TEST(Options, OfAPlanAtTheirExtremes) {
  const Topology topology = Synthetic(kSandybridge);
  const OfPlan kCases[] = {
      {"", Policy::kNone},
      {"", Policy::kCompact, 64},
      {"65 threads do not fit 64 PUs", Policy::kCompact, 65},
      {"", Policy::kCompactPlus, 65, kOversubscribed},
      {"", Policy::kScatter, 4'194'304, kOversubscribed},
      {"threads must be at most 4194304, not 4194305", Policy::kNone, 4'194'305, kOversubscribed},
      {"not 2147483647", Policy::kScatter, kIntMax, kOversubscribed},
      {"threads must be at least 1, not 0", Policy::kScatter, 0},
      {"not -1", Policy::kNone, -1},
      {"not -2147483648", Policy::kScatter, kIntMin, kOversubscribed},
      {"policy user needs an order", Policy::kUser},
      {"policy is 99", static_cast<Policy>(99)},
      {"policy is -1", static_cast<Policy>(-1)},
      {"", Policy::kScatter, 64, {.core_kind = 0}},
      {"core kind 1 does not exist", Policy::kScatter, 1, {.core_kind = 1}},
      {"core kind -1 does not exist", Policy::kScatter, 1, {.core_kind = -1}},
      {"core kind 2147483647 does not", Policy::kScatter, 1, {.core_kind = kIntMax}},
      {"oversubscribe is 2",
       Policy::kScatter,
       1,
       {.oversubscribe = static_cast<PlanOptions::Oversubscribe>(2)}},
  };
  for (const OfPlan& one : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &one - kCases << ": " << one.refused);
    const auto mapping = Plan(topology, one.policy, one.threads, one.options);
    if (*one.refused == '\0') {
      ASSERT_TRUE(mapping.ok()) << mapping.status();
      EXPECT_EQ(mapping->size(), one.threads);
      EXPECT_EQ((*mapping)[one.threads - 1].thread, one.threads - 1);
      continue;
    }
    EXPECT_EQ(mapping.status().code(), absl::StatusCode::kInvalidArgument) << mapping.status();
    EXPECT_THAT(std::string(mapping.status().message()), HasSubstr(one.refused));
  }
}

TEST(Options, AnOrderOfPusAtItsExtremes) {
  const Topology topology = Synthetic(kSandybridge);
  const std::pair<const char*, std::vector<PuId>> kRefused[] = {
      {"no allowed PU", {}},
      {"PU -1 does not exist", {PuId{-1}}},
      {"PU -2147483648 does not exist", {PuId{kIntMin}}},
      {"PU 2147483647 does not exist", {PuId{0}, PuId{kIntMax}}},
      {"PU 64 does not exist", {PuId{64}}},
      {"PU 3 is named twice", {PuId{3}, PuId{3}}},
  };
  for (const auto& [refused, order] : kRefused) {
    const auto mapping = PlanInOrder(topology, order, 1);
    EXPECT_EQ(mapping.status().code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_THAT(std::string(mapping.status().message()), HasSubstr(refused));
  }
  EXPECT_TRUE(PlanInOrder(topology, std::vector<PuId>{PuId{63}}, 1).ok());
}

struct OfMemory {
  const char* refused;
  std::size_t bytes = 1;
  Placement placement = Placement::FirstTouch();
  MemoryOptions options = {};
};

TEST(Options, OfMemoryAtTheirExtremes) {
  const NodeId here = Here().NodeNear(Here().pus()[0].id);
  const OfMemory kCases[] = {
      {"", 1},
      {"", kHugePageBytes + 1, Placement::FirstTouch(), {MemoryOptions::Pages::kHuge}},
      {"", 1, Placement::FirstTouch(), {MemoryOptions::Pages::kHuge}},
      {"", 1, Placement::FirstTouch(), {MemoryOptions::Pages::kSmall}},
      {"pages is 3", 1, Placement::FirstTouch(), {static_cast<MemoryOptions::Pages>(3)}},
      {"pages is -1", 1, Placement::FirstTouch(), {static_cast<MemoryOptions::Pages>(-1)}},
      {"cannot allocate 0 bytes", 0},
      {"cannot allocate 18446744073709551615 bytes", kMost},
      {"cannot allocate 140737488355329 bytes", (std::size_t{1} << 47) + 1},
      {"", 1, Placement::OnNode(here)},
      {"NUMA node -1 does not exist", 1, Placement::OnNode(NodeId{-1})},
      {"NUMA node 2147483647 does not exist", 1, Placement::OnNode(NodeId{kIntMax})},
      {"NUMA node -2147483648 does not exist", 1, Placement::Interleave({here, NodeId{kIntMin}})},
      {"interleaving needs at least one NUMA node", 1, Placement::Interleave({})},
      {"", 1, Placement::Interleave({here, here})},
      {"the slices end at byte 0 of 1", 1, Placement::Slices({})},
      {"the slices end at byte 2 of 1", 1, Placement::Slices({{here, 0, 2}})},
      {"a slice begins at byte 1, expected 0", 1, Placement::Slices({{here, 1, 1}})},
      {"a slice begins at byte 1, expected 1", kMost - 1,
       Placement::Slices({{here, 0, 1}, {here, 1, 0}})},
      {"were asked for", std::size_t{1} << 46, Placement::OnNode(here)},
      {"", 1, Placement::Slices({{here, 0, 1}})},
  };
  for (const OfMemory& one : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &one - kCases << ": " << one.refused);
    const auto memory = Memory::Allocate(Here(), one.bytes, one.placement, one.options);
    if (*one.refused == '\0') {
      ASSERT_TRUE(memory.ok()) << memory.status();
      memory->data()[one.bytes - 1] = std::byte{7};
      EXPECT_EQ(memory->size(), one.bytes);
      continue;
    }
    EXPECT_FALSE(memory.ok());
    EXPECT_THAT(std::string(memory.status().message()), HasSubstr(one.refused));
  }
}

// One node, one PU.
MachineDescription Smallest() {
  MachineDescription machine{.source = "smallest"};
  machine.nodes = {{.memory_bytes = 1 << 20}};
  machine.pus = {{.near = {NodeId{0}}}};
  return machine;
}

struct OfMachine {
  const char* refused;
  std::function<void(MachineDescription&)> set;
};

TEST(OptionsDeathTest, OfADescribedMachineAtTheirExtremes) {
  const OfMachine kCases[] = {
      {"", [](auto&) {}},
      {"it has no NUMA node", [](auto& its) { its.nodes.clear(); }},
      {"it has no PU that is allowed", [](auto& its) { its.pus.clear(); }},
      {"a node's id is not its position", [](auto& its) { its.nodes[0].id = kAnyNode; }},
      {"", [](auto& its) { its.nodes[0].memory_bytes = kMost; }},
      {"", [](auto& its) { its.nodes[0].os_index = kIntMax; }},
      {"a PU has no number", [](auto& its) { its.pus[0].id = PuId{kIntMin}; }},
      {"a PU's number is larger", [](auto& its) { its.pus[0].id = PuId{kIntMax}; }},
      {"", [](auto& its) { its.pus[0].id = PuId{(1 << 20) - 1}; }},
      {"a PU is near a node that does not", [](auto& its) { its.pus[0].near = {kAnyNode}; }},
      {"", [](auto& its) { its.pus[0].near.clear(); }},
      {"", [](auto& its) { its.pus[0].package = its.pus[0].core = its.pus[0].smt = kIntMax; }},
      {"", [](auto& its) { its.pus[0].package = its.pus[0].core = its.pus[0].smt = kIntMin; }},
      {"a core kind that does not exist", [](auto& its) { its.pus[0].kind = -1; }},
      {"a core kind that does not exist", [](auto& its) { its.pus[0].kind = 1; }},
      {"distances are not nodes x nodes", [](auto& its) { its.distances.resize(2); }},
      {"", [](auto& its) { its.distances = {kMost}; }},
      {"a negative count of PUs is offline", [](auto& its) { its.offline_pus = -1; }},
      {"", [](auto& its) { its.offline_pus = kIntMax; }},
      {"the CPU quota is not more than 0", [](auto& its) { its.cpu_quota = 0; }},
      {"the CPU quota is not more than 0", [](auto& its) { its.cpu_quota = -kInfinity; }},
      {"the CPU quota is not more than 0", [](auto& its) { its.cpu_quota = std::nan(""); }},
      {"", [](auto& its) { its.cpu_quota = kInfinity; }},
      {"", [](auto& its) { its.cpu_quota = 1e-300; }},
  };
  for (const OfMachine& one : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &one - kCases << ": " << one.refused);
    MachineDescription machine = Smallest();
    one.set(machine);
    if (*one.refused != '\0') {
      EXPECT_DEATH(Topology{machine}, one.refused);
      continue;
    }
    const Topology topology(machine);
    EXPECT_EQ(topology.default_threads(), 1);
    const auto mapping = Plan(topology, Policy::kScatter, 1);
    ASSERT_TRUE(mapping.ok()) << mapping.status();
    EXPECT_EQ((*mapping)[0].pu, machine.pus[0].id);
  }
}

}  // namespace
}  // namespace topo
