// Memory on the machine that runs the test; several nodes are tested in the
// NUMA guest by placement_real_test.
#include "topo/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory_resource>
#include <numeric>
#include <vector>

#include "topo/node_memory_resource.h"
#include "topo/resident.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

using ::testing::HasSubstr;

NodeId FirstAllowed() {
  for (const Node& node : Here().nodes()) {
    if (node.allowed) return node.id;
  }
  return kAnyNode;
}

Mapping Everywhere() { return *Plan(Here(), Policy::kScatter, Here().allowed_pus()); }

// More than any machine has and less than an address space.
constexpr std::size_t kAllBytes = std::size_t{1} << 46;

std::string Refusal(std::size_t bytes, Placement placement) {
  return std::string(Memory::Allocate(Here(), bytes, std::move(placement)).status().message());
}

TEST(Memory, IsZeroedWritableAndOnItsNodeOnceTouched) {
  const auto memory = Memory::Allocate(Here(), 100'000, Placement::OnNode(FirstAllowed()));
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->size(), 100'000u);
  for (std::byte byte : memory->bytes()) ASSERT_EQ(byte, std::byte{0});
  for (std::byte& byte : memory->bytes()) byte = std::byte{1};
  const auto pages = ResidentNodes(Here(), memory->bytes());
  if (!pages.ok()) GTEST_SKIP() << pages.status();
  ASSERT_EQ(pages->size(), (100'000 + BasePageBytes() - 1) / BasePageBytes());
  for (const PageState& page : *pages) {
    EXPECT_EQ(page, (PageState{PageState::Kind::kResident, FirstAllowed()}));
  }
}

TEST(Memory, PagesThatNobodyTouchedAreNowhereAndReadOnesAreTheZeroPage) {
  const auto memory = Memory::Allocate(Here(), 2 * BasePageBytes(), Placement::FirstTouch());
  ASSERT_TRUE(memory.ok());
  [[maybe_unused]] const volatile std::byte read =
      reinterpret_cast<volatile std::byte*>(memory->data())[0];
  const auto pages = ResidentNodes(Here(), memory->bytes());
  if (!pages.ok()) GTEST_SKIP() << pages.status();
  EXPECT_EQ((*pages)[0].kind, PageState::Kind::kZeroPage);
  EXPECT_EQ((*pages)[1].kind, PageState::Kind::kUntouched);
}

TEST(Memory, SizesThatNoMachineHasAreRefusedWithTheNumber) {
  EXPECT_EQ(Refusal(0, Placement::FirstTouch()), "cannot allocate 0 bytes");
  EXPECT_THAT(Refusal(SIZE_MAX, Placement::FirstTouch()), HasSubstr("more than an address space"));
  const std::size_t too_many = Here()[FirstAllowed()].memory_bytes + BasePageBytes();
  EXPECT_THAT(Refusal(too_many, Placement::OnNode(FirstAllowed())),
              HasSubstr(std::to_string(too_many) + " were asked for"));
  EXPECT_THAT(Refusal(kAllBytes, Placement::Interleave({FirstAllowed()})),
              HasSubstr("the nodes to interleave over have "));
  EXPECT_FALSE(Array<double>::Allocate(Here(), SIZE_MAX / 4, Placement::FirstTouch()).ok());
  EXPECT_FALSE(Array<double>::AllocateSliced(Here(), Everywhere(), SIZE_MAX / 12).ok());
}

TEST(Memory, ANodeThatDoesNotExistIsRefusedByNumber) {
  EXPECT_THAT(Refusal(1, Placement::OnNode(NodeId{999})),
              HasSubstr("NUMA node 999 does not exist"));
}

TEST(Memory, ATopologyOfAnotherMachinePlacesNothing) {
  const Topology elsewhere = Synthetic(kSandybridge);
  EXPECT_EQ(Memory::Allocate(elsewhere, 1, Placement::OnNode(NodeId{0})).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Memory::Allocate(elsewhere, 1, Placement::FirstTouch()).ok());
  EXPECT_EQ(ResidentNodes(elsewhere, {}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Memory, HugePagesAreAlignedToHugePages) {
  const auto memory =
      Memory::Allocate(Here(), 3 * kHugePageBytes + 1, Placement::OnNode(FirstAllowed()),
                       {.pages = MemoryOptions::Pages::kHuge});
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % kHugePageBytes, 0u);
  memory->bytes().back() = std::byte{1};
}

TEST(Memory, MovingLeavesOneOwner) {
  auto memory = Memory::Allocate(Here(), 1, Placement::FirstTouch());
  ASSERT_TRUE(memory.ok());
  std::byte* const data = memory->data();
  Memory other = *std::move(memory);
  EXPECT_EQ(other.data(), data);
  EXPECT_EQ(memory->data(), nullptr);
  other = Memory();
  EXPECT_EQ(other.data(), nullptr);
}

TEST(FirstTouch, MakesEveryPageRealAndChangesNothing) {
  const auto memory = Memory::Allocate(Here(), 37 * BasePageBytes() + 11, Placement::FirstTouch());
  ASSERT_TRUE(memory.ok());
  ASSERT_TRUE(FirstTouch(Here(), Everywhere(), *memory).ok());
  for (std::byte byte : memory->bytes()) ASSERT_EQ(byte, std::byte{0});
  const auto pages = ResidentNodes(Here(), memory->bytes());
  if (!pages.ok()) GTEST_SKIP() << pages.status();
  for (const PageState& page : *pages) EXPECT_EQ(page.kind, PageState::Kind::kResident);
}

TEST(Array, ASlicedArrayIsOneContiguousArray) {
  auto array = Array<int>::AllocateSliced(Here(), Everywhere(), 10'000);
  ASSERT_TRUE(array.ok()) << array.status();
  std::iota(array->begin(), array->end(), 0);
  EXPECT_EQ(array->size(), 10'000u);
  EXPECT_EQ(std::accumulate(array->begin(), array->end(), 0L), 49'995'000);
}

TEST(NodeArrays, GiveEachNodeInUseItsShare) {
  const Mapping mapping = Everywhere();
  const auto arrays = NodeArrays<double>::Allocate(Here(), mapping, 1001);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  std::size_t total = 0;
  for (int i = 0; i < arrays->nodes(); ++i) {
    EXPECT_EQ((*arrays)[i].size(), static_cast<std::size_t>(ShareOfNode(1001, mapping, i).size()));
    total += (*arrays)[i].size();
  }
  EXPECT_EQ(total, 1001u);
  EXPECT_FALSE(NodeArrays<double>::Allocate(Here(), mapping, 0).ok());
}

// Four nodes that are described, not there: two threads on each.
Topology FourNodes() { return Synthetic("pack:4 [numa] core:2 pu:1"); }

TEST(NodeArrays, ADescribedMachinesNodesHaveArraysOfTheSizesGivenAndNoneIsEmpty) {
  const Topology described = FourNodes();
  const Mapping mapping = Plan(described, Policy::kCompact, 8)->Unbound();
  const std::vector<std::size_t> sizes = {5, 0, 1000, 1};
  const auto arrays = NodeArrays<int>::AllocateSized(described, mapping, sizes);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->nodes(), 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ((*arrays)[i].size(), sizes[static_cast<std::size_t>(i)]);
  EXPECT_EQ((*arrays)[2].memory().placement().kind(), Placement::Kind::kFirstTouch);
  const std::vector<std::size_t> three = {1, 1, 1};
  EXPECT_EQ(NodeArrays<int>::AllocateSized(described, mapping, three).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(NodeArrays, AReplicaOnEachNodeHasAllElements) {
  const Topology described = FourNodes();
  const Mapping mapping = Plan(described, Policy::kScatter, 8)->Unbound();
  const auto arrays = NodeArrays<int>::AllocateReplicas(described, mapping, 77);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->nodes(), 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ((*arrays)[i].size(), 77u);
  EXPECT_FALSE(NodeArrays<int>::AllocateReplicas(described, mapping, 0).ok());
}

TEST(Array, OfAnUnboundMappingIsSlicedByFirstTouch) {
  const Topology described = FourNodes();
  const Mapping bound = *Plan(described, Policy::kCompact, 8);
  EXPECT_EQ(Array<int>::AllocateSliced(described, bound, 100).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Array<int>::AllocateSliced(described, bound.Unbound(), 100).ok());
}

TEST(NodeMemoryResource, ServesStandardContainersAndGivesPagesBack) {
  NodeMemoryResource pages(Here(), FirstAllowed());
  std::pmr::unsynchronized_pool_resource pool(&pages);
  {
    std::pmr::vector<long> numbers(&pool);
    for (long i = 0; i < 100'000; ++i) numbers.push_back(i);
    EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0L), 4'999'950'000);
  }
  pool.release();
  void* const block = pages.allocate(3, 64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
  pages.deallocate(block, 3, 64);
  NodeMemoryResource nowhere(Here(), NodeId{999});
  EXPECT_THROW(std::pmr::vector<char>(1, &nowhere), std::bad_alloc);
  EXPECT_THROW(std::pmr::vector<char>(PTRDIFF_MAX, &pages), std::bad_alloc);
}

}  // namespace
}  // namespace topo
