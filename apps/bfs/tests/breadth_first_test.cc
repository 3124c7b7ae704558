// The search that other programs call, on their rows. tools/random/seeds.h describes how to run
// other seeds.
#include "apps/bfs/breadth_first.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "tools/random/seeds.h"

namespace bfs {
namespace {

using Numbers = std::vector<std::uint64_t>;

// Depths along the adjacency, by a queue.
std::vector<std::int64_t> DepthsOf(const std::vector<Numbers>& next, std::uint64_t root) {
  std::vector<std::int64_t> depths(next.size(), -1);
  depths[root] = 0;
  std::queue<std::uint64_t> queue({root});
  for (; !queue.empty(); queue.pop()) {
    for (const std::uint64_t to : next[queue.front()]) {
      if (depths[to] >= 0) continue;
      depths[to] = depths[queue.front()] + 1;
      queue.push(to);
    }
  }
  return depths;
}

TEST(BreadthFirst, SearchesTheRowsOfItsHeaderExample) {
  const Numbers offsets = {0, 1, 3, 4}, neighbors = {1, 0, 2, 1};
  const auto search = BreadthFirst::Build({.offsets = offsets, .neighbors = neighbors});
  ASSERT_TRUE(search.ok()) << search.status();
  const auto tree = search->From(0);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->depths, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(tree->parents, (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(tree->reached, 3u);
}

TEST(BreadthFirst, RandomRowsOfBothWidthsHaveTheDepthsOfAQueue) {
  const std::uint64_t first = random_programs::FirstSeed();
  std::printf("rows from VICINITY_RANDOM_SEED=%llu on\n", static_cast<unsigned long long>(first));
  for (std::uint64_t seed = first; seed < first + random_programs::Programs(100); ++seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t vertices = 1 + random() % 300;
    const bool is_directed = random() % 2 == 0;
    Numbers offsets = {0}, neighbors;
    std::vector<Numbers> next(vertices);
    for (std::uint64_t v = 0; v < vertices; ++v) {
      for (std::uint64_t i = random() % 5; i > 0; --i) {
        // Half of the edges are between near vertices, so that there are deep trees.
        const std::uint64_t to =
            random() % 2 == 0 ? random() % vertices : std::min(vertices - 1, v + random() % 3);
        neighbors.push_back(to);
        next[v].push_back(to);
        if (!is_directed) next[to].push_back(v);
      }
      offsets.push_back(neighbors.size());
    }
    const std::vector<std::uint32_t> narrow(neighbors.begin(), neighbors.end());
    RowsView rows = {.offsets = offsets};
    if (is_directed) rows.direction = graph::Direction::kDirected;
    if (random() % 2 == 0) {
      rows.neighbors = neighbors;
    } else {
      rows.neighbors32 = narrow;
    }
    const auto search = BreadthFirst::Build(rows, {.threads = 1 + static_cast<int>(random() % 2)});
    ASSERT_TRUE(search.ok()) << search.status();
    const Numbers roots = {0, vertices - 1, vertices / 2};
    std::size_t done = 0;
    const absl::Status status = search->FromEach(roots, [&](const SearchTree& tree) {
      ASSERT_EQ(tree.root, roots[done++]) << "seed " << seed;
      ASSERT_EQ(tree.depths, DepthsOf(next, tree.root)) << "seed " << seed;
      for (std::uint64_t v = 0; v < vertices; ++v) {
        if (tree.depths[v] <= 0) continue;
        ASSERT_EQ(tree.depths[static_cast<std::size_t>(tree.parents[v])], tree.depths[v] - 1);
      }
    });
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(done, roots.size());
  }
}

TEST(BreadthFirst, RowsThatAreNoneAreRefused) {
  const auto error = [](const Numbers& offsets, const Numbers& neighbors) {
    return std::string(
        BreadthFirst::Build({.offsets = offsets, .neighbors = neighbors}).status().message());
  };
  EXPECT_EQ(error({}, {}), "rows: there are no offsets, expected one more than vertices");
  EXPECT_EQ(error({0}, {}), "rows: there is no vertex");
  EXPECT_EQ(error({0, 1}, {}),
            "rows: offsets from 0 to 1, expected 0 to 0, the number of neighbors");
  EXPECT_EQ(error({0, 2, 1, 2}, {0, 1}), "rows: offset 2 is below the one before");
  EXPECT_EQ(error({0, 1, 2}, {0, 2}), "rows: neighbor 1 is 2, expected a vertex below 2");
  const Numbers offsets = {0, 1}, neighbors = {0};
  const auto search = BreadthFirst::Build({.offsets = offsets, .neighbors = neighbors});
  ASSERT_TRUE(search.ok()) << search.status();
  EXPECT_EQ(std::string(search->From(1).status().message()), "root 1 is no vertex of a graph of 1");
}

}  // namespace
}  // namespace bfs
