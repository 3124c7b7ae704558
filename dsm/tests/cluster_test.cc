#include "dsm/sim/cluster.h"

#include <gtest/gtest.h>

#include <limits>

namespace dsm::sim {
namespace {

// Round numbers: a second for a latency, ten a page on a link.
Machine Simple() {
  return {.threads = 1,
          .fault = 100,
          .map_page = 5,
          .drop_page = 2,
          .copy_bytes_per_second = std::numeric_limits<double>::infinity(),
          .latency = 1,
          .link_bytes_per_second = 6553.6,
          .software = 0};
}
int Next(int node, PageNumber) { return node + 1; }
// Only the first node reads.
PageRange First(int node) { return node == 0 ? PageRange::Of(0, 4) : PageRange{}; }

TEST(Cluster, AFaultIsATripThereAndBack) {
  Cluster cluster({.nodes = 2, .pages = 4}, Simple(), Next);
  cluster.Touch([](int node, int) { return node == 0 ? PageRange::Of(0, 1) : PageRange{}; });
  EXPECT_DOUBLE_EQ(cluster.times(0).fault, 100 + 1 + 10 + 1 + 5);
  EXPECT_DOUBLE_EQ(cluster.times(1).fault, 0);
  EXPECT_EQ(cluster.counts(0).pages_fetched, 1u);
}

TEST(Cluster, APreloadIsOneTripForAllPages) {
  Cluster cluster({.nodes = 2, .pages = 4}, Simple(), Next);
  cluster.Preload(First);
  EXPECT_DOUBLE_EQ(cluster.times(0).preload, 1 + 4 * 10 + 1 + 4 * 5);
  EXPECT_EQ(cluster.counts(0).fetches, 1u);
  EXPECT_EQ(cluster.counts(0).pages_fetched, 4u);
  cluster.Preload(First);
  EXPECT_EQ(cluster.counts(0).pages_fetched, 4u) << "they are here";
}

TEST(Cluster, ThreadsOfANodeFaultSideBySide) {
  Machine machine = Simple();
  machine.threads = 4;
  Cluster cluster({.nodes = 2, .pages = 4}, machine, Next);
  cluster.Touch([](int node, int thread) {
    const auto page = static_cast<std::uint64_t>(thread);
    return node == 0 ? PageRange::Of(page, page + 1) : PageRange{};
  });
  // The link carries one page after the other.
  EXPECT_DOUBLE_EQ(cluster.times(0).fault, 100 + 1 + 4 * 10 + 1 + 5);
  EXPECT_EQ(cluster.counts(0).faults, 4u);
}

TEST(Cluster, ANodeWaitsForTheThreadThatHasTheMostToRead) {
  Machine machine = Simple();
  machine.threads = 2;
  Cluster cluster({.nodes = 2, .pages = 4}, machine, Next);
  cluster.Touch([](int node, int thread) {
    return node == 0 && thread == 1 ? PageRange::Of(0, 4) : PageRange{};
  });
  EXPECT_DOUBLE_EQ(cluster.times(0).fault, 4 * (100 + 1 + 10 + 1 + 5));
}

TEST(Cluster, AHomeServesOneAfterTheOther) {
  Cluster cluster({.nodes = 3, .pages = 4}, Simple(), [](int, PageNumber) { return 2; });
  cluster.Preload([](int node) { return node < 2 ? PageRange::Of(0, 4) : PageRange{}; });
  EXPECT_DOUBLE_EQ(cluster.times(0).preload, 1 + 40 + 1 + 20);
  EXPECT_DOUBLE_EQ(cluster.times(1).preload, 1 + 80 + 1 + 20);
}

TEST(Cluster, AtABarrierAllWaitForTheLastAndDropTheirCopies) {
  Cluster cluster({.nodes = 4, .pages = 4}, Simple(),
                  [](int node, PageNumber) { return (node + 1) % 4; });
  cluster.Compute([](int node) { return 1000.0 * node; });
  cluster.Preload(First);
  cluster.BarrierThatDrops();
  EXPECT_DOUBLE_EQ(cluster.times(3).barrier, 2) << "two rounds";
  EXPECT_DOUBLE_EQ(cluster.times(0).total(), 3000 + 2 + 4 * 2);
  EXPECT_DOUBLE_EQ(cluster.times(1).barrier, 2000 + 2);
  cluster.Touch([](int node, int) { return First(node); });
  EXPECT_EQ(cluster.counts(0).pages_fetched, 8u) << "they come again";
}

TEST(Cluster, MessagesWaitForNeighborsOnly) {
  Cluster cluster({.nodes = 4, .pages = 0}, Simple(), Next);
  cluster.Compute([](int node) { return node == 3 ? 1000.0 : 0.0; });
  cluster.Exchange(65536);
  EXPECT_DOUBLE_EQ(cluster.times(0).preload, 1 + 10) << "one neighbor";
  EXPECT_DOUBLE_EQ(cluster.times(1).preload, 2 * (1 + 10));
  EXPECT_DOUBLE_EQ(cluster.times(2).preload, 1000 + 2 * (1 + 10));
}

TEST(Cluster, AThousandNodesAreNoTrouble) {
  Cluster cluster({.nodes = 1024, .pages = 4}, Simple(),
                  [](int node, PageNumber) { return (node + 1) % 1024; });
  for (int step = 0; step < 3; ++step) {
    cluster.Touch([](int, int) { return PageRange::Of(0, 4); });
    cluster.BarrierThatDrops();
  }
  for (const int node : {0, 511, 1023}) {
    EXPECT_EQ(cluster.counts(node).pages_fetched, 12u);
    EXPECT_DOUBLE_EQ(cluster.times(node).total(), cluster.times(0).total());
  }
}

}  // namespace
}  // namespace dsm::sim
