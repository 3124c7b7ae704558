// Placement for real: needs two NUMA nodes or more, allowed to this process.
// Where the machine has one, numa_guest_test runs this in a guest with four.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "topo/barrier.h"
#include "topo/memory.h"
#include "topo/node_memory_resource.h"
#include "topo/resident.h"
#include "topo/tests/machines.h"
#include "topo/verify.h"

namespace topo {
namespace {

constexpr std::size_t kPages = 2048;
// Base pages, whatever the machine's setting: counts below are exact.
constexpr MemoryOptions kSmallPages = {.pages = MemoryOptions::Pages::kSmall};

class PlacementReal : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Node& node : Here().nodes()) {
      if (node.allowed && node.memory_bytes > 0) nodes_.push_back(node.id);
    }
    if (nodes_.size() < 2) GTEST_SKIP() << "needs two NUMA nodes, this machine has one";
  }

  // Pages on each node; fails the test if one is not resident.
  static std::map<int, std::size_t> CountByNode(const Memory& memory) {
    std::map<int, std::size_t> counts;
    const auto pages = ResidentNodes(Here(), memory.bytes());
    EXPECT_TRUE(pages.ok()) << pages.status();
    for (const PageState& page : *pages) {
      EXPECT_EQ(page.kind, PageState::Kind::kResident);
      ++counts[ToInt(page.node)];
    }
    return counts;
  }

  static Memory Touched(std::size_t bytes, Placement placement,
                        const MemoryOptions& options = kSmallPages) {
    auto memory = Memory::Allocate(Here(), bytes, std::move(placement), options);
    EXPECT_TRUE(memory.ok()) << memory.status();
    EXPECT_TRUE(memory->bound().ok()) << memory->bound();
    std::memset(memory->data(), 1, memory->size());
    return *std::move(memory);
  }

  std::vector<NodeId> nodes_;
};

TEST_F(PlacementReal, BindPutsEveryPageOnTheNodeAsked) {
  for (NodeId node : nodes_) {
    const Memory memory = Touched(kPages * BasePageBytes(), Placement::OnNode(node));
    EXPECT_THAT(CountByNode(memory), testing::ElementsAre(testing::Pair(ToInt(node), kPages)));
  }
}

TEST_F(PlacementReal, InterleaveDealsPagesInEqualParts) {
  const Memory memory = Touched(kPages * BasePageBytes(), Placement::Interleave(nodes_));
  const auto counts = CountByNode(memory);
  EXPECT_EQ(counts.size(), nodes_.size());
  for (const auto& [node, pages] : counts) {
    EXPECT_NEAR(static_cast<double>(pages), static_cast<double>(kPages) / nodes_.size(), 1.0);
  }
}

TEST_F(PlacementReal, InterleavedHugePagesStayOnTheNodesAsked) {
  const std::vector<NodeId> two = {nodes_[0], nodes_.back()};
  const Memory memory = Touched(4 * kHugePageBytes, Placement::Interleave(two),
                                {.pages = MemoryOptions::Pages::kHuge});
  for (const auto& [node, pages] : CountByNode(memory)) {
    EXPECT_TRUE(node == ToInt(two[0]) || node == ToInt(two[1])) << pages << " pages on " << node;
  }
}

TEST_F(PlacementReal, SlicesPutEachNodesShareOnItsNode) {
  const Mapping mapping = *Plan(Here(), Policy::kScatter, Here().allowed_pus());
  const auto array =
      Array<double>::AllocateSliced(Here(), mapping, kPages * BasePageBytes() / sizeof(double));
  ASSERT_TRUE(array.ok()) << array.status();
  std::memset(array->data(), 1, array->memory().size());  // by one thread, on one node
  const auto pages = ResidentNodes(Here(), array->memory().bytes());
  ASSERT_TRUE(pages.ok()) << pages.status();
  for (const Slice& slice : array->memory().placement().slices()) {
    for (std::size_t at = slice.begin_bytes; at < slice.end_bytes; at += BasePageBytes()) {
      ASSERT_EQ((*pages)[at / BasePageBytes()].node, slice.node) << "byte " << at;
    }
  }
  EXPECT_GE(array->memory().placement().slices().size(), 2u);
}

TEST_F(PlacementReal, FirstTouchPutsEachThreadsShareOnItsNode) {
  const Mapping mapping = *Plan(Here(), Policy::kScatter, Here().allowed_pus());
  const auto memory =
      Memory::Allocate(Here(), kPages * BasePageBytes(), Placement::FirstTouch(), kSmallPages);
  ASSERT_TRUE(memory.ok());
  ASSERT_TRUE(FirstTouch(Here(), mapping, *memory).ok());
  const auto pages = ResidentNodes(Here(), memory->bytes());
  ASSERT_TRUE(pages.ok()) << pages.status();
  for (const Slot& slot : mapping.slots()) {
    const Range share = ShareOf(static_cast<std::int64_t>(memory->size()), mapping, slot);
    for (std::int64_t at = share.begin; at < share.end; at += BasePageBytes()) {
      if (at % BasePageBytes() != 0) continue;
      ASSERT_EQ((*pages)[at / BasePageBytes()].node, slot.memory) << "thread " << slot.thread;
    }
  }
}

TEST_F(PlacementReal, NodeArraysLieOnTheNodesOfTheirThreads) {
  const Mapping mapping = *Plan(Here(), Policy::kCompact, Here().allowed_pus());
  const auto arrays = NodeArrays<double>::Allocate(Here(), mapping, 1'000'000);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  for (int i = 0; i < arrays->nodes(); ++i) {
    const Memory& memory = (*arrays)[i].memory();
    std::memset(memory.data(), 1, memory.size());
    EXPECT_EQ(CountByNode(memory).size(), 1u);
    EXPECT_EQ(CountByNode(memory).begin()->first, ToInt(mapping.nodes()[i]));
  }
}

TEST_F(PlacementReal, VerifyCatchesADeliberateMisplacementAndCountsIt) {
  const Mapping mapping = *Plan(Here(), Policy::kScatter, Here().allowed_pus());
  Verifier verifier(Here(), mapping);
  ASSERT_TRUE(RunThreads(Here(), mapping, [&](const Slot& slot) {
                verifier.ObserveThisThread(slot);
              }).ok());
  // Serial initialization: the paper's figure 2. All pages on one node, asked
  // for in slices.
  const Memory serial = Touched(kPages * BasePageBytes(), Placement::OnNode(nodes_[0]));
  const Placement asked = Placement::Slices(PlanSlices(mapping, serial.size(), BasePageBytes()));
  verifier.AddMemory("serial", serial.bytes(), asked);
  const Memory right = Touched(kPages * BasePageBytes(), Placement::OnNode(nodes_[1]));
  verifier.AddMemory("right", right);
  const VerifyReport report = verifier.Finish();
  EXPECT_FALSE(report.ok());
  ASSERT_EQ(report.memory.size(), 2u);
  std::int64_t elsewhere = 0;
  for (const Slice& slice : asked.slices()) {
    if (slice.node != nodes_[0])
      elsewhere += (slice.end_bytes - slice.begin_bytes) / BasePageBytes();
  }
  EXPECT_EQ(report.memory[0].tally.misplaced, elsewhere);
  EXPECT_EQ(report.memory[1].tally.misplaced, 0);
  for (const ThreadFinding& finding : report.threads) EXPECT_EQ(finding.problem, "");
}

TEST_F(PlacementReal, APmrContainerOnTheFarNodeIsThere) {
  NodeMemoryResource far(Here(), nodes_.back());
  std::pmr::vector<long> numbers(100'000, 7, &far);
  const auto pages = ResidentNodes(Here(), std::as_bytes(std::span(numbers)));
  ASSERT_TRUE(pages.ok()) << pages.status();
  for (const PageState& page : *pages) ASSERT_EQ(page.node, nodes_.back());
}

TEST_F(PlacementReal, TheHomeOfEachPuIsTheKernels) {
  const Topology& here = Here();
  for (const Node& node : here.nodes()) {
    std::ifstream file("/sys/devices/system/node/node" + std::to_string(node.os_index) +
                       "/cpulist");
    std::string pus;
    std::getline(file, pus);
    PuSet at_home;
    for (const Pu& pu : here.pus()) {
      if (here.Home(pu) == node.id) at_home.Insert(pu.id);
    }
    EXPECT_EQ(at_home.ToString(), pus.empty() ? "nothing" : pus) << "node " << node.os_index;
    EXPECT_EQ(node.tier, pus.empty() ? MemoryTier::kFar : MemoryTier::kDram);
  }
}

TEST_F(PlacementReal, DistancesAndPusDifferByNode) {
  const Topology& here = Here();
  EXPECT_EQ(here.Distance(nodes_[0], nodes_[0]), 10u);
  EXPECT_GT(here.Distance(nodes_[0], nodes_[1]), 10u);
  std::map<int, int> pus;
  for (const Pu& pu : here.pus()) ++pus[ToInt(here.Home(pu))];
  EXPECT_GE(pus.size(), 2u);
}

TEST_F(PlacementReal, TheHierarchicalBarrierCrossesRealNodes) {
  const Mapping mapping = *Plan(Here(), Policy::kScatter, Here().allowed_pus());
  TeamBarrier barrier(mapping);
  std::vector<long> cells(mapping.size(), 0);
  ASSERT_TRUE(RunThreads(Here(), mapping, [&](const Slot& slot) {
                for (long round = 1; round <= 20; ++round) {
                  cells[slot.thread] = round;
                  barrier.Hierarchical(slot);
                  for (long cell : cells) ASSERT_EQ(cell, round);
                  barrier.Hierarchical(slot);
                }
              }).ok());
}

}  // namespace
}  // namespace topo
