#include "apps/stencil/simulated/simulated.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stencil {
namespace {

constexpr std::uint64_t kPage = 4096;

// A plane is eight pages, a row one.
Problem Small() { return {.nz = 12, .ny = 8, .nx = 512, .steps = 10, .block = 4}; }

// Computing takes long enough for waits to be seen.
NodeModel Model() {
  NodeModel model;
  model.machine.threads = 3;
  model.cores.adds_per_ns = 0.1;
  return model;
}

Algorithm Named(const std::string& name) { return ParseAlgorithms(name).value().front(); }

SimulatedRow RowOf(const std::string& name, int nodes, const NodeModel& model) {
  EXPECT_TRUE(CheckSimulated(Small(), Named(name), kPage).ok());
  const auto row = Simulate(Small(), Named(name), nodes, kPage, model);
  EXPECT_TRUE(row.ok()) << row.status();
  return row.value_or(SimulatedRow());
}

TEST(Simulated, TheAlgorithmsMoveTheBytesThatTheyNeedAndNoMore) {
  for (const int nodes : {1, 2, 5, 180}) {
    const auto seams = static_cast<std::uint64_t>(nodes) - 1;
    // A plane each way at each step, whatever is blocked.
    const std::uint64_t simple = 2 * seams * 8 * 10;
    // Rows of a half of four, and of as many beyond it as there are steps to come, of two planes
    // for each step; and half a plane of results a step: steps are 4, 4 and 2.
    const std::uint64_t four = 2 * (8 + 7 + 6 + 5) + 4 * 4, two = 2 * (6 + 5) + 2 * 4;
    const std::uint64_t phased = 2 * seams * (four + four + two);
    for (const auto& [name, exchanges, pages] :
         {std::tuple("A1", 10u, simple), {"A2", 3u, simple}, {"A3", 6u, phased}}) {
      const SimulatedRow by_fault = RowOf(name, nodes, Model());
      EXPECT_EQ(by_fault.exchanges, exchanges) << name;
      EXPECT_EQ(by_fault.pages_fetched, pages) << name << " " << nodes;
      EXPECT_EQ(by_fault.faults, pages) << name;
      EXPECT_EQ(by_fault.preload_seconds, 0) << name;
      const SimulatedRow by_preload = RowOf(std::string(name) + "p", nodes, Model());
      EXPECT_EQ(by_preload.exchanges, exchanges) << name;
      EXPECT_EQ(by_preload.pages_fetched, pages) << name;
      EXPECT_EQ(by_preload.faults, 0u) << name;
      EXPECT_EQ(by_preload.fault_seconds, 0) << name;
    }
  }
}

TEST(Simulated, ThePartsAreTheWholeTime) {
  for (const char* const name : {"A1", "A1p", "A2", "A2p", "A3", "A3p"}) {
    const SimulatedRow row = RowOf(name, 16, Model());
    const double parts =
        row.compute_seconds + row.preload_seconds + row.fault_seconds + row.barrier_seconds;
    // Nodes at the ends have half of the copies to drop, and of the seams to take.
    EXPECT_NEAR(parts, row.virtual_seconds, 1e-3 * row.virtual_seconds) << name;
  }
}

TEST(Simulated, ARunIsAFunctionOfItsSeed) {
  NodeModel other = Model();
  other.seed = 2;
  for (const char* const name : {"A1", "A3p"}) {
    const SimulatedRow first = RowOf(name, 7, Model()), again = RowOf(name, 7, Model());
    EXPECT_EQ(first.virtual_seconds, again.virtual_seconds);
    EXPECT_EQ(first.barrier_seconds, again.barrier_seconds);
    EXPECT_NE(first.virtual_seconds, RowOf(name, 7, other).virtual_seconds);
  }
}

TEST(Simulated, AlgorithmsHaveTheSameLuck) {
  EXPECT_EQ(RowOf("A1", 7, Model()).compute_seconds, RowOf("A1p", 7, Model()).compute_seconds);
  EXPECT_EQ(RowOf("A1", 7, Model()).compute_seconds,
            SimulateMessages(Small(), 7, Model()).value().compute_seconds);
}

TEST(Simulated, SlownessIsHalfOfANormalDistribution) {
  for (const bool is_lasting : {true, false}) {
    NodeModel model = Model();
    model.spread = is_lasting ? 1 : 0;
    model.jitter = is_lasting ? 0 : 1;
    double sum = 0, squares = 0;
    constexpr int kNodes = 10'000;
    for (int node = 0; node < kNodes; ++node) {
      const double more = Slowness(model, node, node % 7, 1) - 1;
      EXPECT_GE(more, 0);
      sum += more;
      squares += more * more;
    }
    EXPECT_NEAR(sum / kNodes, std::sqrt(2 / M_PI), 0.02) << is_lasting;
    EXPECT_NEAR(squares / kNodes, 1, 0.04) << is_lasting;
  }
}

TEST(Simulated, ASlowNodeStaysSlowAndStepsOfOneDiffer) {
  NodeModel lasting = Model(), jitter = Model();
  lasting.spread = jitter.jitter = 1;
  lasting.jitter = jitter.spread = 0;
  EXPECT_EQ(Slowness(lasting, 3, 0, 1), Slowness(lasting, 3, 5, 1));
  EXPECT_EQ(Slowness(lasting, 3, 0, 1), Slowness(lasting, 3, 0, 16));
  EXPECT_NE(Slowness(jitter, 3, 0, 1), Slowness(jitter, 3, 5, 1));
  EXPECT_DOUBLE_EQ(Slowness(jitter, 3, 0, 2),
                   (Slowness(jitter, 3, 0, 1) + Slowness(jitter, 3, 1, 1)) / 2);
  lasting.spread = 0;
  EXPECT_EQ(Slowness(lasting, 3, 4, 1), 1);
}

TEST(Simulated, SoManyStopsAreLateAndThoseOfTwoNodesAreNotTheSame) {
  NodeModel model = Model();
  model.late_share = 0.1;
  model.late = 0.024;
  constexpr int kStops = 10'000;
  int late = 0, both = 0;
  for (std::uint64_t stop = 0; stop < kStops; ++stop) {
    const bool one = LatenessOfStop(model, 3, stop) > 0;
    late += one;
    both += one && LatenessOfStop(model, 4, stop) > 0;
    if (one) {
      EXPECT_EQ(LatenessOfStop(model, 3, stop), 0.024);
    }
  }
  EXPECT_NEAR(late, 0.1 * kStops, 150);
  EXPECT_NEAR(both, 0.01 * kStops, 50);
  EXPECT_EQ(LatenessOfStop(Model(), 3, 0), 0);
}

TEST(Simulated, BarriersGrowWithNodesAndBlockedTimeMeetsLessOften) {
  NodeModel model = Model();
  model.jitter = 0.05;
  double before = 0;
  for (const int nodes : {2, 8, 32, 128}) {
    const SimulatedRow row = RowOf("A1p", nodes, model);
    EXPECT_GT(row.barrier_seconds / row.virtual_seconds, before) << nodes;
    before = row.barrier_seconds / row.virtual_seconds;
  }
  const SimulatedRow blocked = RowOf("A2p", 128, model);
  EXPECT_LT(blocked.barrier_seconds / blocked.virtual_seconds, before) << "steps even out";
}

TEST(Simulated, NodesThatAreAllAlikeDoNotWait) {
  NodeModel model = Model();
  model.spread = 0;
  const SimulatedRow row = RowOf("A1p", 16, model);
  EXPECT_DOUBLE_EQ(row.compute_seconds, row.first.compute);
  EXPECT_LT(row.barrier_seconds, 0.1 * row.compute_seconds);
}

TEST(Simulated, MessagesWaitForNeighborsAndInTheEndForAll) {
  const auto row = SimulateMessages(Small(), 16, Model());
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->algorithm, "mpi");
  EXPECT_EQ(row->exchanges, 10u);
  EXPECT_EQ(row->pages_fetched, 0u);
  EXPECT_EQ(row->page_bytes, 0u);
}

TEST(Simulated, ANodeThatCannotBeIsRefused) {
  NodeModel model = Model();
  model.cores.memory_ns = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(Simulate(Small(), Named("A1"), 2, kPage, model).status()));
}

TEST(Simulated, ASizeThatDoesNotFitIsRefused) {
  Problem problem = Small();
  EXPECT_TRUE(absl::IsInvalidArgument(CheckSimulated(problem, Named("A1"), 65536)));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckSimulated(problem, Named("A1"), 0)));
  problem.steps = problem.block = 13;
  EXPECT_TRUE(absl::IsInvalidArgument(CheckSimulated(problem, Named("A2"), kPage)));
  EXPECT_TRUE(CheckSimulated(problem, Named("A3"), kPage).ok()) << "its blocks become shorter";
}

}  // namespace
}  // namespace stencil
