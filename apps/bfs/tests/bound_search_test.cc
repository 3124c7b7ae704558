// The fast search by threads and lists that are bound to the PUs and nodes of the machine that runs
// the test: in the NUMA guest, of four nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "apps/bfs/fast/search.h"
#include "apps/bfs/hubs/hub_graph.h"
#include "apps/bfs/problem/tuples.h"
#include "apps/bfs/tests/one_answer.h"
#include "apps/bfs/tests/random_graphs.h"
#include "apps/bfs/validation/reference.h"
#include "apps/graph/csr.h"
#include "apps/graph/kronecker.h"
#include "topo/topo.h"

namespace bfs {
namespace {

using graph::Vertex;

constexpr graph::Kronecker kGraph = {.scale = 10, .seed = 3};

class BoundSearch : public testing::TestWithParam<topo::Policy> {};

TEST_P(BoundSearch, DepthsAreTheSerialOnesWithAnyNumberOfThreads) {
  for (const graph::Direction direction :
       {graph::Direction::kUndirected, graph::Direction::kDirected}) {
    SCOPED_TRACE(direction == graph::Direction::kDirected ? "along arcs" : "without direction");
    graph::EdgeList list = {.vertices = kGraph.vertices(),
                            .direction = direction,
                            .edges = std::vector<graph::Edge>(kGraph.edges()),
                            .terminals = {},
                            .max_length = {}};
    graph::Generate(kGraph, 0, list.edges);
    const std::vector<Vertex> keys = {list.edges[0].from, list.edges[1].to};
    const graph::Csr csr = RowsToFollow(list);
    const topo::Topology machine = *topo::ThisMachine();
    std::vector<int> counts = {1, machine.allowed_pus() / 2, machine.allowed_pus()};
    std::erase(counts, 0);
    for (const int threads : counts) {
      SCOPED_TRACE(testing::Message() << threads << " threads");
      const auto mapping = topo::Plan(machine, GetParam(), threads);
      ASSERT_TRUE(mapping.ok()) << mapping.status();
      const auto graph = HubGraph::Build(machine, *mapping, Tuples::Listed("list", list));
      ASSERT_TRUE(graph.ok()) << graph.status();
      EXPECT_EQ(graph->nodes(), static_cast<int>(mapping->nodes().size()));
      const absl::Status status = SearchAll(
          machine, *mapping, *graph, keys, {.cuts = {.few_edges = 0, .hub_degree = 50, .words = 1}},
          [&](const Answer& answer) {
            const auto valid = ValidateOne(answer.root, answer.parents, list.edges, direction);
            ASSERT_TRUE(valid.ok()) << valid.status();
            EXPECT_EQ(valid->levels, DepthsFrom(csr, answer.root));
          });
      EXPECT_TRUE(status.ok()) << status;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, BoundSearch,
                         testing::Values(topo::Policy::kScatter, topo::Policy::kCompact,
                                         topo::Policy::kCompactPlus),
                         [](const auto& info) {
                           return info.param == topo::Policy::kScatter   ? "Scatter"
                                  : info.param == topo::Policy::kCompact ? "Compact"
                                                                         : "CompactPlus";
                         });

}  // namespace
}  // namespace bfs
