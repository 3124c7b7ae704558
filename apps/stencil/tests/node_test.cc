#include "apps/stencil/simulated/node.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

// The paper's block of a node.
constexpr std::uint64_t kNz = 1024, kNy = 2048, kNx = 4096;
Problem Block(int points) { return {.nz = kNz, .ny = kNy, .nx = kNx, .points = points}; }

Node Make(const Cores& cores, int points, int threads) {
  auto node = Node::Create(cores, points, threads);
  EXPECT_TRUE(node.ok()) << node.status();
  return *std::move(node);
}

// So many steps at once of all points, by all threads.
double Seconds(const Cores& cores, int points, int threads, int steps) {
  Node node = Make(cores, points, threads);
  const Problem problem = Block(points);
  std::vector<ThreadWork> works;
  for (int thread = 0; thread < threads; ++thread) {
    const Slab part = PartOf({0, kNz}, thread, threads);
    const std::vector<Box> boxes(static_cast<std::size_t>(steps), {part, {0, kNy}});
    const Traffic traffic = node.TrafficOf(problem, boxes);
    works.push_back({.updates = UpdatesOf(problem, boxes),
                     .read_bytes = traffic.read_bytes,
                     .written_bytes = traffic.written_bytes,
                     .others_pages = {}});
  }
  return node.Seconds(works, {});
}

TEST(Node, SevenPointsAreAsFastAsMemoryFrom24ThreadsOn) {
  const double points = static_cast<double>(Block(7).size());
  EXPECT_LT(Seconds({}, 7, 12, 1), 1.05 * 2 * Seconds({}, 7, 24, 1)) << "twice as slow, no more";
  EXPECT_GT(Seconds({}, 7, 12, 1), 0.85 * 2 * Seconds({}, 7, 24, 1));
  EXPECT_GT(Seconds({}, 7, 28, 1), 0.95 * Seconds({}, 7, 24, 1)) << "four more gain nothing";
  // 24 bytes a point, and what is read twice where tiles meet.
  EXPECT_GT(Seconds({}, 7, 24, 1), points * 24 / (2 * Cores().socket_bytes_per_ns) * 1e-9);
  Cores faster;
  faster.socket_bytes_per_ns *= 2;
  EXPECT_LT(Seconds(faster, 7, 28, 1), 0.9 * Seconds({}, 7, 28, 1)) << "memory was the limit";
}

TEST(Node, TwentySevenPointsGainByTheSecondThreadOfEachCore) {
  EXPECT_LT(Seconds({}, 27, 56, 1), 0.9 * Seconds({}, 27, 28, 1));
  EXPECT_GT(Seconds({}, 27, 32, 1), Seconds({}, 27, 28, 1))
      << "threads that share a core are slower";
  Cores faster;
  faster.socket_bytes_per_ns *= 2;
  EXPECT_NEAR(Seconds(faster, 27, 28, 1), Seconds({}, 27, 28, 1), 1e-9) << "memory was no limit";
  Cores nearer;
  nearer.memory_ns = 0.001;
  EXPECT_NEAR(Seconds(nearer, 27, 56, 1), Seconds(nearer, 27, 28, 1),
              0.05 * Seconds(nearer, 27, 28, 1))
      << "no thread waits for memory, so another of its core finds nothing to do";
}

TEST(Node, StepsAtOnceAreFasterWhileTheirTilesAreInTheCache) {
  EXPECT_LT(Seconds({}, 7, 24, 16), 0.7 * 16 * Seconds({}, 7, 24, 1));
  Cores small;
  small.cache_bytes = 1 << 20;
  EXPECT_GT(Seconds(small, 7, 24, 16), 0.95 * 16 * Seconds(small, 7, 24, 1));
}

TEST(Node, MemoryIsReadOnceForAStepAndForManySteps) {
  const Node node = Make({}, 7, 1);
  // A tile has room for all rows and columns.
  const Problem problem = {.nz = 64, .ny = 32, .nx = 64};
  const double bytes = static_cast<double>(problem.size()) * sizeof(double);
  const Box all = {{0, 64}, {0, 32}};
  const Traffic one = node.TrafficOf(problem, std::vector{all});
  EXPECT_DOUBLE_EQ(one.read_bytes, 2 * bytes) << "a grid, and what is written of the other";
  EXPECT_DOUBLE_EQ(one.written_bytes, bytes);
  const Traffic many = node.TrafficOf(problem, std::vector(16, all));
  EXPECT_DOUBLE_EQ(many.read_bytes, 4 * bytes) << "and the planes between, of which there are two";
  EXPECT_DOUBLE_EQ(many.written_bytes, 3 * bytes);
  EXPECT_DOUBLE_EQ(node.TrafficOf(problem, std::vector<Box>(4)).read_bytes, 0);
}

TEST(Node, WithoutRoomForItsTileAThreadReadsThreePlanesForEachStep) {
  Cores none;
  none.cache_bytes = 1;
  const Node node = Make(none, 7, 1);
  const Problem problem = {.nz = 64, .ny = 32, .nx = 64};
  const double bytes = static_cast<double>(problem.size()) * sizeof(double);
  const Traffic traffic = node.TrafficOf(problem, std::vector<Box>(16, {{0, 64}, {0, 32}}));
  EXPECT_NEAR(traffic.read_bytes, 16 * 4 * bytes, 1e-4 * bytes * 64);
  EXPECT_NEAR(traffic.written_bytes, 16 * bytes, 1e-4 * bytes * 64);
}

TEST(Node, AThreadThatWaitsForAPageIsLateAndOthersHaveItsMemoryMeanwhile) {
  // Half of the bandwidth of a socket each, and nothing to compute.
  const ThreadWork work = {.updates = 0, .read_bytes = 1e9, .written_bytes = 0, .others_pages = {}};
  Cores cores;
  cores.lines_in_flight = 1000;
  Node node = Make(cores, 7, 4);
  const std::vector<ThreadWork> works(4, work);
  const double alone = node.Seconds(works, {});
  const double waited = node.Seconds(works, std::vector<double>{alone / 2, 0, 0, 0});
  EXPECT_GE(waited, alone);
  EXPECT_LT(waited, 1.5 * alone);
}

TEST(Node, MoreThreadsThanTheMachineHasTakeTurns) {
  EXPECT_EQ(Make({}, 7, 112).threads(), 112);
  EXPECT_GT(Seconds({}, 27, 112, 1), 0.95 * Seconds({}, 27, 56, 1));
}

TEST(Node, ARateOfNothingIsRefused) {
  Cores cores;
  cores.adds_per_ns = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(Node::Create(cores, 7, 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Node::Create({}, 7, 0).status()));
}

}  // namespace
}  // namespace stencil
