// The fast search against the serial one, for graphs, policies, threads and machines at random.
// tools/random/seeds.h describes how to run others.
#include "apps/bfs/fast/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "apps/bfs/hubs/hub_graph.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/bfs/tests/one_answer.h"
#include "apps/bfs/tests/random_graphs.h"
#include "apps/bfs/validation/reference.h"
#include "apps/graph/csr.h"
#include "apps/graph/kronecker.h"
#include "tools/random/seeds.h"

namespace bfs {
namespace {

using graph::Vertex;

// Validates an answer and compares its depths with the serial search's.
void ExpectShortestPaths(const Answer& answer, const graph::EdgeList& list, const graph::Csr& csr) {
  const auto valid = ValidateOne(answer.root, answer.parents, list.edges, list.direction);
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->levels, DepthsFrom(csr, answer.root));
}

// A step's frontier is the core's vertices of one depth, and each depth that they have is a step.
void ExpectEachLevelOnce(const Answer& answer, const HubGraph& graph, const graph::Csr& csr) {
  const std::vector<std::int32_t> depths = DepthsFrom(csr, answer.root);
  // A leaf that is the root is no step.
  const std::size_t before = graph.rank(answer.root) < graph.core() ? 0 : 1;
  std::vector<std::int64_t> expected, found;
  for (Vertex rank = 0; rank < graph.core(); ++rank) {
    const std::int32_t depth = depths[graph.original(rank)];
    if (depth == kUnreached) continue;
    const std::size_t step = static_cast<std::size_t>(depth) - before;
    if (step >= expected.size()) expected.resize(step + 1);
    ++expected[step];
  }
  for (const Step& step : answer.steps) found.push_back(step.frontier);
  EXPECT_EQ(found, expected);
}

TEST(FastSearch, FindsShortestPathsOnAnyMachineByAnyPolicyAndThreads) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(200);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::int64_t bottom_up = 0, changes = 0, bottom_up_along_arcs = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const graph::EdgeList list = RandomlyDirected(RandomGraph(random), random);
    const graph::Csr csr = RowsToFollow(list);
    const auto [machine, mapping] = RandomMachine(random);
    const SearchOptions options = {
        .direction = {.alpha = static_cast<std::int64_t>(1 + random() % 60),
                      .beta = static_cast<std::int64_t>(1 + random() % 60)},
        .labels = random() % 2 == 0 ? Labels::kOriginal : Labels::kInternal,
        .cuts = random() % 3 == 0 ? Cuts{}
                                  : Cuts{.few_edges = static_cast<std::int64_t>(random() % 20),
                                         .hub_degree = 1 + random() % 20,
                                         .words = static_cast<std::int64_t>(1 + random() % 3)}};
    const auto graph = HubGraph::Build(machine, mapping, Tuples::Listed("random", list));
    ASSERT_TRUE(graph.ok()) << graph.status();
    std::vector<Vertex> keys;
    for (int i = 0; i < 4; ++i) keys.push_back(static_cast<Vertex>(random() % list.vertices));
    std::size_t answers = 0;
    const absl::Status status =
        SearchAll(machine, mapping, *graph, keys, options, [&](const Answer& answer) {
          ASSERT_EQ(answer.root, keys[answers++]);
          ExpectShortestPaths(answer, list, csr);
          ExpectEachLevelOnce(answer, *graph, csr);
          for (std::size_t i = 0; i < answer.steps.size(); ++i) {
            bottom_up += answer.steps[i].direction == Direction::kBottomUp;
            bottom_up_along_arcs +=
                graph->is_directed() && answer.steps[i].direction == Direction::kBottomUp;
            changes += i > 0 && answer.steps[i - 1].direction == Direction::kBottomUp &&
                       answer.steps[i].direction == Direction::kTopDown;
          }
        });
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(answers, keys.size());
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(bottom_up, 0);
  EXPECT_GT(changes, 0);
  EXPECT_GT(bottom_up_along_arcs, 0);
}

// Depths are the graph's own: other labels, threads and policies do not change them.
TEST(FastSearch, DepthsAreTheSameUnderOtherLabelsThreadsAndPolicies) {
  std::mt19937_64 random(7);
  const graph::Kronecker kronecker = {.scale = 10};
  graph::EdgeList list = {
      .vertices = kronecker.vertices(), .edges = {}, .terminals = {}, .max_length = {}};
  list.edges.resize(kronecker.edges());
  graph::Generate(kronecker, 0, list.edges);
  const Vertex root = list.edges[5].from;
  const std::vector<std::int32_t> expected = DepthsFrom(graph::BuildCsr(list), root);
  for (int round = 0; round < 20; ++round) {
    std::vector<Vertex> label(list.vertices);
    std::iota(label.begin(), label.end(), Vertex{0});
    std::shuffle(label.begin(), label.end(), random);
    graph::EdgeList renamed = list;
    for (auto& [from, to] : renamed.edges) {
      from = label[from];
      to = label[to];
    }
    const auto [machine, mapping] = RandomMachine(random);
    const auto graph = HubGraph::Build(machine, mapping, Tuples::Listed("renamed", renamed));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::vector<Vertex> keys = {label[root]};
    const absl::Status status =
        SearchAll(machine, mapping, *graph, keys, {.cuts = {.few_edges = 0, .words = 1}},
                  [&](const Answer& answer) {
                    const auto valid = ValidateOne(answer.root, answer.parents, renamed.edges);
                    ASSERT_TRUE(valid.ok()) << valid.status();
                    for (Vertex v = 0; v < list.vertices; ++v) {
                      EXPECT_EQ(valid->levels[label[v]], expected[v]) << "vertex " << v;
                    }
                  });
    ASSERT_TRUE(status.ok()) << status;
  }
}

// A leaf that an arc leaves is reached by no search but its own; a leaf that an arc enters has its
// only parent. Both hang on a core of ring and chord, and on each other.
TEST(FastSearch, LeavesAreReachedByTheirArcsOnly) {
  graph::EdgeList list = {.vertices = 210,
                          .direction = graph::Direction::kDirected,
                          .edges = {{200, 201}},
                          .terminals = {},
                          .max_length = {}};
  for (Vertex v = 0; v < 70; ++v) {
    list.edges.push_back({v, (v + 1) % 70});
    list.edges.push_back({v, 70 + v});        // enters the leaf
    list.edges.push_back({140 + v % 50, v});  // leaves the leaf, for v below 50
  }
  const graph::Csr csr = RowsToFollow(list);
  for (const char* description : {"core:2 pu:1", "pack:2 [numa] core:1 pu:1"}) {
    const topo::Topology machine = *topo::FromSynthetic(description);
    const topo::Mapping mapping = topo::Plan(machine, topo::Policy::kScatter, 2)->Unbound();
    const auto graph = HubGraph::Build(machine, mapping, Tuples::Listed("leaves", list));
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_LT(graph->core(), graph->active());
    std::vector<Vertex> keys(list.vertices);
    std::iota(keys.begin(), keys.end(), Vertex{0});
    for (const Labels labels : {Labels::kOriginal, Labels::kInternal}) {
      const absl::Status status =
          SearchAll(machine, mapping, *graph, keys, {.labels = labels}, [&](const Answer& answer) {
            SCOPED_TRACE(testing::Message() << description << ", root " << answer.root);
            ExpectShortestPaths(answer, list, csr);
          });
      ASSERT_TRUE(status.ok()) << status;
    }
  }
}

TEST(FastSearch, AnIsolatedRootIsItsOwnTreeAndLeavesNoTrace) {
  const graph::EdgeList list = {
      .vertices = 4, .edges = {{0, 1}, {1, 1}, {2, 2}}, .terminals = {}, .max_length = {}};
  const topo::Topology machine = *topo::FromSynthetic("core:2 pu:1");
  const topo::Mapping mapping = topo::Plan(machine, topo::Policy::kCompact, 2)->Unbound();
  const auto graph = HubGraph::Build(machine, mapping, Tuples::Listed("pair", list));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::vector<Vertex> keys = {2, 3, 0, 3, 1};
  for (const Labels labels : {Labels::kOriginal, Labels::kInternal}) {
    const absl::Status status = SearchAll(
        machine, mapping, *graph, keys, {.labels = labels},
        [&](const Answer& answer) { ExpectShortestPaths(answer, list, graph::BuildCsr(list)); });
    ASSERT_TRUE(status.ok()) << status;
  }
}

}  // namespace
}  // namespace bfs
