#include "dsm/sim/cluster.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

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

TEST(Cluster, OneThreadCopiesMessagesThatComeAndThatGo) {
  Machine machine = Simple();
  machine.copy_bytes_per_second = machine.link_bytes_per_second;
  Cluster cluster({.nodes = 2, .pages = 0}, machine, Next);
  cluster.Exchange(65536);
  EXPECT_DOUBLE_EQ(cluster.times(0).preload, 1 + 2 * 10);
}

// Threads 0 and 2 of the first node read two pages each.
std::span<const PageRange> ByTwoThreads(int node, int thread) {
  static constexpr PageRange kFirst = PageRange::Of(0, 2), kSecond = PageRange::Of(2, 4);
  if (node > 0 || thread == 1) return {};
  return {thread == 0 ? &kFirst : &kSecond, 1};
}

TEST(Cluster, WhatANodeWaitsAtWorkIsForItToSay) {
  Machine machine = Simple();
  machine.threads = 3;
  Cluster cluster({.nodes = 2, .pages = 4}, machine, Next);
  std::vector<double> waited;
  const auto seconds = [&](int node, std::span<const double> waits) {
    if (waits.empty()) return 1000.0;
    EXPECT_EQ(node, 0) << "the other has no pages to wait for";
    waited.assign(waits.begin(), waits.end());
    return 1007.0;
  };
  cluster.Work(ByTwoThreads, seconds);
  // The second thread's page is behind the first one's on the link.
  EXPECT_EQ(waited, (std::vector<double>{2 * (100 + 1 + 10 + 1 + 5), 0, 10 + 2 * 117}));
  EXPECT_DOUBLE_EQ(cluster.times(0).compute, 1000);
  EXPECT_DOUBLE_EQ(cluster.times(0).fault, 7);
  EXPECT_DOUBLE_EQ(cluster.times(1).total(), 1000);
  EXPECT_EQ(cluster.counts(0).faults, 4u);
  cluster.Work(ByTwoThreads, seconds);
  EXPECT_EQ(cluster.counts(0).faults, 4u) << "the pages are here";
}

TEST(Cluster, WhereAPageStopsAllThreadsNoneComputesMeanwhile) {
  Machine machine = Simple();
  machine.threads = 3;
  machine.stop_thread = 50;
  Cluster cluster({.nodes = 2, .pages = 4}, machine, Next);
  cluster.Work(ByTwoThreads, [](int, std::span<const double>) { return 1000.0; });
  // Of three threads two wait for pages, but for the last page.
  EXPECT_DOUBLE_EQ(cluster.times(0).fault, 3 * 50 + 2 * 50);
  EXPECT_DOUBLE_EQ(cluster.times(1).fault, 0);
}

TEST(Cluster, AStopThatIsLateHoldsUpTheThreadsOfItsNode) {
  Machine machine = Simple();
  machine.threads = 3;
  int stops = 0;
  const auto late = [&](int node) {
    EXPECT_EQ(node, 0) << "the other has no pages to wait for";
    return ++stops == 2 ? 70.0 : 0.0;
  };
  Cluster cluster({.nodes = 2, .pages = 4}, machine, Next, late);
  cluster.Work(ByTwoThreads, [](int, std::span<const double>) { return 1000.0; });
  EXPECT_EQ(stops, 4) << "one for each page";
  EXPECT_DOUBLE_EQ(cluster.times(0).fault, 70);
  EXPECT_DOUBLE_EQ(cluster.times(1).fault, 0);
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

// Of this process: anonymous memory, in bytes.
std::uint64_t PrivateBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

// The paper's section 4: 180 nodes, and 30 TiB of addresses on each.
TEST(Cluster, WhatManyNodesKnowOfThirtyTebibytesIsInProportionToThePagesTheyTouch) {
  constexpr std::uint64_t kPageBytes = 2 << 20, kPages = (std::uint64_t{30} << 40) / kPageBytes;
  constexpr int kNodes = 180;
  const std::uint64_t before = PrivateBytes();
  Machine machine = Simple();
  Cluster cluster({.nodes = kNodes, .pages = kPages, .page_bytes = kPageBytes}, machine,
                  [](int node, PageNumber) { return (node + 1) % kNodes; });
  for (int step = 0; step < 2; ++step) {
    cluster.Touch([](int, int) { return PageRange::Of(0, 3); });
    cluster.Touch([](int, int) { return PageRange::Of(kPages - 3, kPages); });
    cluster.BarrierThatDrops();
  }
  EXPECT_EQ(cluster.counts(0).pages_fetched, 12u);
  EXPECT_EQ(cluster.counts(kNodes - 1).pages_fetched, 12u);
  ASSERT_GT(before, 0u);
  EXPECT_LT(PrivateBytes() - before, std::uint64_t{256} << 20) << "all nodes together";
}

}  // namespace
}  // namespace dsm::sim
