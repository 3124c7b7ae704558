// The search against the serial one, for graphs, policies, threads and machines at random.
// tools/random/seeds.h describes how to run others.
#include "apps/bfs/plain_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "apps/bfs/reference.h"
#include "apps/bfs/validation.h"
#include "apps/graph/csr.h"
#include "apps/graph/kronecker.h"
#include "tools/random/seeds.h"

namespace bfs {
namespace {

using graph::Vertex;

graph::EdgeList RandomGraph(std::mt19937_64& random) {
  graph::EdgeList list;
  switch (random() % 3) {
    case 0: {  // few vertices, any edges
      list.vertices = 1 + random() % 300;
      for (std::uint64_t i = random() % 900; i > 0; --i) {
        list.edges.push_back({static_cast<Vertex>(random() % list.vertices),
                              static_cast<Vertex>(random() % list.vertices)});
      }
      break;
    }
    case 1: {  // Graph500's
      const graph::Kronecker kronecker = {.scale = static_cast<int>(5 + random() % 6),
                                          .seed = random()};
      list.vertices = kronecker.vertices();
      list.edges.resize(kronecker.edges());
      graph::Generate(kronecker, 0, list.edges);
      break;
    }
    default: {  // a long road
      const Vertex width = static_cast<Vertex>(1 + random() % 4),
                   length = static_cast<Vertex>(1 + random() % 400);
      list.vertices = width * length;
      for (Vertex i = 0; i < list.vertices; ++i) {
        if (i % width + 1 < width) list.edges.push_back({i, i + 1});
        if (i + width < list.vertices) list.edges.push_back({i, i + width});
      }
    }
  }
  return list;
}

TEST(SearchAll, FindsShortestPathsOnAnyMachineByAnyPolicyAndThreads) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(150);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  const topo::Topology machines[] = {*topo::FromSynthetic("pack:4 [numa] core:2 pu:1"),
                                     *topo::FromSynthetic("core:3 pu:2"),
                                     *topo::FromSynthetic("pack:2 [numa] core:1 pu:1")};
  const topo::Policy policies[] = {topo::Policy::kNone, topo::Policy::kScatter,
                                   topo::Policy::kCompact, topo::Policy::kCompactPlus};
  std::int64_t bottom_up = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const graph::EdgeList list = RandomGraph(random);
    const graph::Csr csr = graph::BuildCsr(list);
    const topo::Topology& machine = machines[random() % 3];
    const int threads =
        static_cast<int>(1 + random() % static_cast<std::uint64_t>(machine.allowed_pus()));
    const topo::Mapping mapping = topo::Plan(machine, policies[random() % 4], threads)->Unbound();
    const HybridOptions options = {.alpha = static_cast<std::int64_t>(1 + random() % 30),
                                   .beta = static_cast<std::int64_t>(1 + random() % 30)};
    std::vector<Vertex> keys;
    for (int i = 0; i < 3; ++i) keys.push_back(static_cast<Vertex>(random() % list.vertices));
    std::size_t answers = 0;
    const absl::Status status =
        SearchAll(machine, mapping, csr, keys, options, [&](const Answer& answer) {
          EXPECT_EQ(answer.root, keys[answers++]);
          auto validation = Validation::Begin(answer.root, answer.parents);
          ASSERT_TRUE(validation.ok()) << "seed " << seed << ": " << validation.status();
          EXPECT_TRUE(validation->Look(list.edges).ok()) << "seed " << seed;
          EXPECT_TRUE(validation->End().ok()) << "seed " << seed;
          const std::vector<std::int32_t> depths = DepthsFrom(csr, answer.root);
          EXPECT_TRUE(std::equal(depths.begin(), depths.end(), validation->levels().begin()))
              << "seed " << seed;
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
  const graph::Csr csr = graph::BuildCsr(list);
  const topo::Topology machine = *topo::FromSynthetic("core:2 pu:1");
  const std::vector<Vertex> keys = {0};
  const absl::Status status =
      SearchAll(machine, topo::Plan(machine, topo::Policy::kCompact, 2)->Unbound(), csr, keys, {},
                [&](const Answer& answer) {
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
