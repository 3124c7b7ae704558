#include "apps/predict/machine/work.h"

#include "apps/predict/machine/machine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "topo/topo.h"

namespace {

using predict::Machine;
using predict::Work;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using topo::NodeId;
using topo::PuId;

constexpr double kExact = 1e-6;

// Two nodes, one link; PUs 0 and 1 are a core of node 0, 2 and 3 another, 4 to 7 node 1's.
Machine TwoNodes() {
  return *Machine::Create("two", *topo::FromSynthetic("pack:2 [numa] core:2 pu:2"),
                          {.lines_in_flight = 10,
                           .memory_latency_ns = {100, 200},
                           .handoff_ns = {50, 150},
                           .node_gb_per_s = 64,  // a line a nanosecond
                           .link_gb_per_s = 3.2,
                           .smt_gain = 1.25,
                           .links = {{0, 1}}});
}

TEST(WorkTest, NothingTakesNoTime) {
  EXPECT_EQ(DurationNs(TwoNodes(), {}), 0);
  EXPECT_EQ(DurationNs(TwoNodes(), std::vector<Work>{{.pu = PuId{0}, .memory = {}}}), 0);
}

TEST(WorkTest, ACoreStreamsAsManyLinesAsItCanWaitFor) {
  const std::vector<Work> works = {
      {.pu = PuId{0}, .memory = {{.node = NodeId{0}, .streamed_lines = 1000}}}};
  EXPECT_THAT(DurationNs(TwoNodes(), works), DoubleNear(1000 * 100 / 10.0, kExact));
}

TEST(WorkTest, ChainedLinesAreWaitedForOneAfterTheOther) {
  const std::vector<Work> works = {
      {.pu = PuId{0}, .memory = {{.node = NodeId{0}, .chained_lines = 1000, .chains = 2}}}};
  EXPECT_THAT(DurationNs(TwoNodes(), works), DoubleNear(1000 * 100 / 2.0, kExact));
}

TEST(WorkTest, ALinkLimitsWhatComesFromTheOtherNode) {
  const std::vector<Work> works = {
      {.pu = PuId{0}, .memory = {{.node = NodeId{1}, .streamed_lines = 1000}}},
      {.pu = PuId{2}, .memory = {{.node = NodeId{1}, .streamed_lines = 1000}}}};
  EXPECT_THAT(DurationNs(TwoNodes(), works), DoubleNear(2000 * 64 / 3.2, kExact));
}

TEST(WorkTest, WrittenLinesGoTheOtherWayAndNothingWaitsForThem) {
  const std::vector<Work> works = {
      {.pu = PuId{0},
       .memory = {{.node = NodeId{1}, .streamed_lines = 1000, .written_lines = 1000}}}};
  EXPECT_THAT(DurationNs(TwoNodes(), works), DoubleNear(1000 * 200 / 10.0, kExact));
}

TEST(WorkTest, TwoThreadsOfACoreComputeSlowerAndWaitAsFast) {
  const Machine machine = TwoNodes();
  const auto both = [&](Work work) {
    std::vector<Work> works = {work, work};
    works[0].pu = PuId{0};
    works[1].pu = PuId{1};
    return DurationNs(machine, works);
  };
  EXPECT_THAT(both({.compute_ns = 1000, .memory = {}}), DoubleNear(2 * 1000 / 1.25, kExact));
  EXPECT_THAT(both({.waiting_ns = 1000, .memory = {}}), DoubleNear(1000, kExact));
}

TEST(WorkTest, ThreadsOnTheSamePuTakeTurns) {
  const std::vector<Work> works = {{.pu = PuId{0}, .compute_ns = 1000, .memory = {}},
                                   {.pu = PuId{0}, .compute_ns = 3000, .memory = {}}};
  EXPECT_THAT(EndsOf(TwoNodes(), works),
              ElementsAre(DoubleNear(2000, kExact), DoubleNear(4000, kExact)));
}

TEST(WorkTest, AThreadThatEndsLeavesItsShareToTheOthers) {
  // Both alone on their cores; the link carries 0.05 lines a nanosecond.
  const std::vector<Work> works = {
      {.pu = PuId{0}, .memory = {{.node = NodeId{1}, .streamed_lines = 100}}},
      {.pu = PuId{2}, .memory = {{.node = NodeId{1}, .streamed_lines = 200}}}};
  EXPECT_THAT(EndsOf(TwoNodes(), works),
              ElementsAre(DoubleNear(4000, kExact), DoubleNear(6000, kExact)));
}

}  // namespace
