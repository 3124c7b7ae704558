// The search against the serial one, for graphs, policies, threads and machines at random.
// tools/random/seeds.h describes how to run others.
#include "apps/bfs/plain/plain_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "apps/bfs/problem/neighbors.h"
#include "apps/bfs/tests/one_answer.h"
#include "apps/bfs/tests/random_graphs.h"
#include "apps/bfs/validation/reference.h"
#include "apps/graph/csr.h"
#include "tools/random/seeds.h"

namespace bfs {
namespace {

using graph::Vertex;

Neighbors NeighborsOf(const graph::EdgeList& list) {
  return list.direction == graph::Direction::kDirected ? NeighborsByArcs(list)
                                                       : NeighborsByEdges(list);
}

TEST(SearchAll, FindsShortestPathsOnAnyMachineByAnyPolicyAndThreads) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(150);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::int64_t bottom_up = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const graph::EdgeList list = RandomlyDirected(RandomGraph(random), random);
    const graph::Csr csr = RowsToFollow(list);
    const auto [machine, mapping] = RandomMachine(random);
    const HybridOptions options = {.alpha = static_cast<std::int64_t>(1 + random() % 30),
                                   .beta = static_cast<std::int64_t>(1 + random() % 30)};
    std::vector<Vertex> keys;
    for (int i = 0; i < 3; ++i) keys.push_back(static_cast<Vertex>(random() % list.vertices));
    std::size_t answers = 0;
    const absl::Status status =
        SearchAll(machine, mapping, NeighborsOf(list), keys, options, [&](const Answer& answer) {
          EXPECT_EQ(answer.root, keys[answers++]);
          const auto valid = ValidateOne(answer.root, answer.parents, list.edges, list.direction);
          ASSERT_TRUE(valid.ok()) << "seed " << seed << ": " << valid.status();
          EXPECT_EQ(valid->levels, DepthsFrom(csr, answer.root)) << "seed " << seed;
          for (const Step& step : answer.steps) bottom_up += step.direction == Direction::kBottomUp;
        });
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(answers, keys.size());
  }
  EXPECT_GT(bottom_up, 0);
}

TEST(SearchAll, ALongRoadIsSearchedTopDown) {
  graph::EdgeList list = {.vertices = 10'000, .edges = {}, .terminals = {}, .max_length = {}};
  for (Vertex i = 0; i + 1 < 10'000; ++i) list.edges.push_back({i, i + 1});
  const topo::Topology machine = *topo::FromSynthetic("core:2 pu:1");
  const std::vector<Vertex> keys = {0};
  const absl::Status status =
      SearchAll(machine, topo::Plan(machine, topo::Policy::kCompact, 2)->Unbound(),
                NeighborsByEdges(list), keys, {}, [&](const Answer& answer) {
                  EXPECT_EQ(answer.steps.size(), 10'000u);
                  for (const Step& step : answer.steps) {
                    EXPECT_EQ(step.direction, Direction::kTopDown);
                    EXPECT_EQ(step.frontier, 1);
                  }
                });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace bfs
