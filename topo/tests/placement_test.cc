#include "topo/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topo/tests/machines.h"

namespace topo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kPage = 4096;

PageState On(int node) { return {PageState::Kind::kResident, NodeId{node}}; }

TEST(PlanSlices, EachNodesShareLiesOnItsNodeWithBoundariesOnWholePages) {
  const Mapping mapping = *Plan(Synthetic(kSandybridge), Policy::kScatter, 8);
  const std::uint64_t bytes = 10 * kPage;
  EXPECT_THAT(
      PlanSlices(mapping, bytes, kPage),
      ElementsAre(Slice{NodeId{0}, 0, 3 * kPage}, Slice{NodeId{1}, 3 * kPage, 5 * kPage},
                  Slice{NodeId{2}, 5 * kPage, 8 * kPage}, Slice{NodeId{3}, 8 * kPage, 10 * kPage}));
}

TEST(PlanSlices, FewerPagesThanNodesLeavesSomeNodesOut) {
  const Mapping mapping = *Plan(Synthetic(kSandybridge), Policy::kScatter, 4);
  EXPECT_THAT(PlanSlices(mapping, kPage + 1, kPage),
              ElementsAre(Slice{NodeId{0}, 0, kPage}, Slice{NodeId{3}, kPage, kPage + 1}));
}

TEST(PlanSlices, AMachineAcceptsThePlannedSlices) {
  const Topology topology = Synthetic(kSandybridge);
  for (std::uint64_t bytes : {std::uint64_t{1}, kPage, 3 * kPage + 5, 1000 * kPage + 1}) {
    for (int threads : {1, 2, 3, 5, 64}) {
      const Mapping mapping = *Plan(topology, Policy::kScatter, threads);
      const Placement slices = Placement::Slices(PlanSlices(mapping, bytes, kPage));
      EXPECT_TRUE(slices.CheckAgainst(topology, bytes).ok());
    }
  }
}

TEST(Placement, APageIsJudgedByTheSliceThatHoldsItsStart) {
  const Placement slices =
      Placement::Slices({{NodeId{1}, 0, 2 * kPage}, {NodeId{0}, 2 * kPage, 3 * kPage}});
  EXPECT_TRUE(slices.Accepts(kPage, NodeId{1}));
  EXPECT_FALSE(slices.Accepts(2 * kPage, NodeId{1}));
  EXPECT_TRUE(slices.Accepts(2 * kPage, NodeId{0}));
  EXPECT_FALSE(slices.Accepts(3 * kPage, NodeId{0}));
}

TEST(Judge, CountsPagesByNodeAndPointsAtTheFirstMisplacedOne) {
  const PlacementTally tally = Judge(Placement::OnNode(NodeId{1}),
                                     std::vector<PageState>{On(1),
                                                            {},
                                                            On(0),
                                                            On(0),
                                                            {PageState::Kind::kZeroPage, kAnyNode},
                                                            {PageState::Kind::kUnknown, kAnyNode}},
                                     kPage, 2);
  EXPECT_THAT(tally.on_node, ElementsAre(2, 1));
  EXPECT_EQ(tally.misplaced, 2);
  EXPECT_EQ(tally.first_misplaced, 2);
  EXPECT_EQ(tally.untouched, 2);
  EXPECT_EQ(tally.unknown, 1);
}

TEST(Judge, MemoryThatBeginsInsideAPageIsJudgedByItsOwnBytes) {
  // The first slice has 100 bytes of the first page and all of the second; the
  // page in which it ends is its own.
  const Placement slices =
      Placement::Slices({{NodeId{0}, 0, kPage + 200}, {NodeId{1}, kPage + 200, 4 * kPage}});
  const std::vector<PageState> pages = {On(0), On(0), On(0), On(1), On(1)};
  EXPECT_EQ(Judge(slices, pages, kPage, 2, kPage - 100).misplaced, 0);
  EXPECT_EQ(Judge(slices, pages, kPage, 2).first_misplaced, 4 - 2);
}

TEST(Judge, FirstTouchIsRightEverywhere) {
  const std::vector<PageState> pages = {On(0), On(1)};
  EXPECT_EQ(Judge(Placement::FirstTouch(), pages, kPage, 2).misplaced, 0);
}

TEST(Placement, IsRefusedForNodesThatDoNotExistOrAreForbidden) {
  MachineDescription machine{.source = "m"};
  machine.nodes = {{.id = NodeId{0}}, {.id = NodeId{1}, .allowed = false}};
  machine.pus = {{.near = {NodeId{0}}}};
  const Topology topology(machine);
  const absl::Status missing = Placement::OnNode(NodeId{2}).CheckAgainst(topology, 1);
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("NUMA node 2 does not exist on m"));
  const absl::Status forbidden =
      Placement::Interleave({NodeId{0}, NodeId{1}}).CheckAgainst(topology, 1);
  EXPECT_EQ(forbidden.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(forbidden.message()), HasSubstr("NUMA node 1 is forbidden"));
  EXPECT_FALSE(Placement::Interleave({}).CheckAgainst(topology, 1).ok());
}

TEST(Placement, SlicesWithAGapOrAWrongEndAreRefused) {
  const Topology topology = Synthetic("pack:2 [numa] core:1 pu:1");
  const auto status = [&](std::vector<Slice> slices) {
    return std::string(
        Placement::Slices(std::move(slices)).CheckAgainst(topology, 2 * kPage).message());
  };
  EXPECT_EQ(status({{NodeId{0}, 0, kPage}, {NodeId{1}, kPage, 2 * kPage}}), "");
  EXPECT_THAT(status({{NodeId{0}, 0, kPage}, {NodeId{1}, kPage + 1, 2 * kPage}}),
              HasSubstr("begins at byte 4097, expected 4096"));
  EXPECT_THAT(status({{NodeId{0}, 0, kPage}}), HasSubstr("end at byte 4096 of 8192"));
}

}  // namespace
}  // namespace topo
