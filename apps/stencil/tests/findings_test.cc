// What [Mid18] found in its figures 7 to 10, on its machine as node.h describes it; and that a
// finding goes when its cause is taken away.
#include <gtest/gtest.h>

#include "apps/stencil/simulated/simulated.h"

namespace stencil {
namespace {

// The paper's block of a node, and one block of its steps.
Problem Block(int points) {
  return {.nz = 1024, .ny = 2048, .nx = 4096, .points = points, .steps = 16};
}

NodeModel Model(int threads) {
  NodeModel model;
  model.machine.threads = threads;
  return model;
}

SimulatedRow RowOf(const std::string& name, int nodes, const NodeModel& model, int points = 7) {
  const auto row = name == kMessagePassing
                       ? SimulateMessages(Block(points), nodes, model)
                       : Simulate(Block(points), ParseAlgorithms(name).value().front(), nodes,
                                  kSimulatedPageBytes, model);
  EXPECT_TRUE(row.ok()) << row.status();
  return row.value_or(SimulatedRow());
}
double SecondsOf(const std::string& name, int nodes, const NodeModel& model) {
  return RowOf(name, nodes, model).virtual_seconds;
}

// The fewest threads with which no larger number is a tenth faster.
int EnoughThreads(int points) {
  int enough = 0;
  double fastest = 0;
  for (int threads = 56; threads >= 4; threads -= 4) {
    const double speed = RowOf("A1p", 4, Model(threads), points).updates_per_s();
    fastest = std::max(fastest, speed);
    if (1.1 * speed < fastest) return enough;
    enough = threads;
  }
  return enough;
}

TEST(Findings, MemoryIsBusyWith24ThreadsOf7PointsAndAllCoresWith52Of27) {
  EXPECT_EQ(EnoughThreads(7), 24);
  EXPECT_EQ(EnoughThreads(27), 52);
}

TEST(Findings, BlockedTimeIsFasterByItsCacheAndSlowerWithoutIt) {
  for (const int nodes : {2, 16}) {
    EXPECT_LT(SecondsOf("A2", nodes, Model(24)), SecondsOf("A1", nodes, Model(24)));
    EXPECT_LT(SecondsOf("A3p", nodes, Model(24)), SecondsOf("A1p", nodes, Model(24)));
    NodeModel small = Model(24);
    small.cores.cache_bytes = 1 << 20;
    EXPECT_GT(SecondsOf("A2", nodes, small), SecondsOf("A1", nodes, small));
  }
}

TEST(Findings, PreloadGainsMoreWithMoreNodesWhereAPageStopsAllThreads) {
  NodeModel stopping = Model(24);
  stopping.machine.stop_thread = 20e-6;
  stopping.spread = 0;  // of 16 nodes the slowest may be one with a single neighbor
  double before = 1.01;
  for (const int nodes : {2, 16}) {
    const double gain = SecondsOf("A1", nodes, stopping) / SecondsOf("A1p", nodes, stopping);
    EXPECT_GT(gain, before) << nodes;
    before = gain;
    EXPECT_LT(SecondsOf("A1", nodes, Model(24)) / SecondsOf("A1p", nodes, Model(24)), 1.005);
  }
  // The first node has one neighbor, and waits for those that have two.
  const SimulatedRow by_fault = RowOf("A1", 16, stopping), by_preload = RowOf("A1p", 16, stopping);
  EXPECT_GT(by_fault.first.barrier, by_preload.first.barrier);
  const double computing =
      (by_fault.first.compute + by_fault.first.fault) / by_preload.first.compute;
  EXPECT_GT(computing, 1.02);
  EXPECT_LT(computing, 1.07);
}

// A2's stops are as many, but few barriers wait for those that are late: they even out.
TEST(Findings, WhereStopsAreLatePreloadGainsA1MoreThanA2) {
  NodeModel late = Model(24);
  late.spread = 0;
  late.late_share = 0.016;
  late.late = 0.024;
  const auto gain = [&](const char* by_fault, const char* by_preload) {
    return SecondsOf(by_fault, 16, late) / SecondsOf(by_preload, 16, late);
  };
  EXPECT_GT(gain("A1", "A1p"), gain("A2", "A2p") + 0.01);
  const SimulatedRow by_fault = RowOf("A1", 16, late), by_preload = RowOf("A1p", 16, late);
  const double saved = by_fault.virtual_seconds - by_preload.virtual_seconds;
  EXPECT_GT(by_fault.first.barrier - by_preload.first.barrier, saved / 2);
}

TEST(Findings, MessagesOfOneThreadAreSlowerThanPreloadWhereSlowNodesStaySlow) {
  for (const int nodes : {2, 16, 64}) {
    EXPECT_GT(SecondsOf("mpi", nodes, Model(24)), SecondsOf("A1p", nodes, Model(24))) << nodes;
  }
  // Without what a thread copies for both directions they take as long as preload, at most.
  NodeModel no_copies = Model(24);
  no_copies.machine.copy_bytes_per_second = 1e15;
  EXPECT_LT(SecondsOf("mpi", 16, no_copies) / SecondsOf("A1p", 16, no_copies), 1.0005);
  // A node that is slow in one step and not in the next delays its neighbors, and a barrier all.
  NodeModel jitter = Model(24);
  jitter.spread = 0;
  jitter.jitter = 0.05;
  EXPECT_LT(SecondsOf("mpi", 64, jitter), SecondsOf("A1p", 64, jitter));
}

}  // namespace
}  // namespace stencil
