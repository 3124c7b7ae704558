#include "apps/simpath/frontier/zdd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "tools/random/seeds.h"

namespace simpath {
namespace {

constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

using Edges = std::vector<std::size_t>;

// All sets of edges that the diagram stands for.
std::set<Edges> SetsOf(const Zdd& zdd) {
  std::set<Edges> sets;
  Edges taken;
  const std::function<void(Zdd::Id)> from = [&](Zdd::Id id) {
    if (id == Zdd::kZero) return;
    if (id == Zdd::kOne) {
      sets.insert(taken);
      return;
    }
    from(zdd.node(id).zero);
    taken.push_back(zdd.node(id).edge);
    from(zdd.node(id).one);
    taken.pop_back();
  };
  from(zdd.root());
  return sets;
}

// All paths, each as its edges in their order.
std::set<Edges> PathsOf(const Problem& problem) {
  std::set<Edges> paths;
  Edges taken;
  std::vector<bool> visited(problem.vertices);
  const std::function<void(graph::Vertex)> from = [&](graph::Vertex vertex) {
    if (vertex == problem.target) {
      Edges sorted = taken;
      std::sort(sorted.begin(), sorted.end());
      paths.insert(sorted);
      return;
    }
    visited[vertex] = true;
    for (std::size_t i = 0; i < problem.edges.size(); ++i) {
      const auto [a, b] = problem.edges[i];
      if (a != vertex && b != vertex) continue;
      const graph::Vertex to = a == vertex ? b : a;
      if (visited[to]) continue;
      taken.push_back(i);
      from(to);
      taken.pop_back();
    }
    visited[vertex] = false;
  };
  from(problem.source);
  return paths;
}

void ExpectReduced(const Zdd& zdd) {
  std::set<std::tuple<std::uint32_t, Zdd::Id, Zdd::Id>> seen;
  Zdd::Id id = 2;
  for (const Zdd::Node& node : zdd.nodes()) {
    EXPECT_NE(node.one, Zdd::kZero);
    EXPECT_TRUE(seen.insert({node.edge, node.zero, node.one}).second) << "two equal nodes";
    for (const Zdd::Id to : {node.zero, node.one}) {
      EXPECT_LT(to, id);
      if (to >= 2) {
        EXPECT_GT(zdd.node(to).edge, node.edge) << "edges are decided in their order";
      }
    }
    ++id;
  }
}

// [ULIBC14] figure 10 (d).
TEST(Zdd, OfThePapersExampleHasFourNodes) {
  const Problem problem = *MakeProblem(Graph(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}}), 0, 3);
  const Zdd zdd = *Zdd::Of(problem, kMuch);
  EXPECT_EQ(zdd.size(), 4u);
  EXPECT_EQ(SetsOf(zdd), (std::set<Edges>{{0, 3}, {1, 2, 3}}));
  EXPECT_EQ(zdd.ToDot(problem),
            R"(digraph zdd {
  node [shape=circle];
  n0 [label="0", shape=box];
  n1 [label="1", shape=box];
  n2 [label="1-3"];
  n2 -> n0 [style=dashed];
  n2 -> n1;
  n3 [label="1-2"];
  n3 -> n0 [style=dashed];
  n3 -> n2;
  n4 [label="0-2"];
  n4 -> n0 [style=dashed];
  n4 -> n3;
  n5 [label="0-1"];
  n5 -> n4 [style=dashed];
  n5 -> n2;
  { rank=same; n5; }
  { rank=same; n4; }
  { rank=same; n3; }
  { rank=same; n2; }
}
)");
}

TEST(Zdd, HasExactlyThePathsOfRandomGraphsAndIsReduced) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(400);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t vertices = 2 + random() % 6;
    graph::EdgeList list = Graph(vertices, {});
    for (std::uint64_t i = random() % 14; i > 0; --i) {
      list.edges.push_back({static_cast<graph::Vertex>(random() % vertices),
                            static_cast<graph::Vertex>(random() % vertices)});
    }
    const std::uint64_t source = random() % vertices,
                        target = (source + 1 + random() % (vertices - 1)) % vertices;
    Problem problem = *MakeProblem(list, source, target);
    std::shuffle(problem.edges.begin(), problem.edges.end(), random);
    const Zdd zdd = *Zdd::Of(problem, kMuch);
    ExpectReduced(zdd);
    const std::set<Edges> paths = PathsOf(problem);
    ASSERT_EQ(SetsOf(zdd), paths) << "seed " << seed;
    const Sampler sampler(zdd);
    ASSERT_EQ(sampler.paths().ToString(), std::to_string(paths.size()));
    if (!paths.empty()) {
      ASSERT_TRUE(paths.contains(sampler.Draw(random)));
    }
  }
}

// 2,000 of each are expected, with a standard deviation of 43.
TEST(Sampler, DrawsEachPathAsOften) {
  const Problem problem = *MakeProblem(Grid(2), 0, 8);
  const Zdd zdd = *Zdd::Of(problem, kMuch);
  const Sampler sampler(zdd);
  std::mt19937_64 random(1);
  std::map<Edges, int> times;
  for (int i = 0; i < 24'000; ++i) ++times[sampler.Draw(random)];
  EXPECT_EQ(times.size(), 12u);
  for (const auto& [edges, drawn] : times) EXPECT_NEAR(drawn, 2000, 215);
}

TEST(Sampler, DrawsFromMoreThanAWordOfPaths) {
  const Problem problem = *MakeProblem(Ladder(100), 0, 198);
  const Zdd zdd = *Zdd::Of(problem, kMuch);
  const Sampler sampler(zdd);
  EXPECT_EQ(sampler.paths().bits(), 100);
  std::mt19937_64 random(1);
  const std::vector<graph::Vertex> path = VerticesOf(problem, sampler.Draw(random));
  EXPECT_EQ(path.front(), 0u);
  EXPECT_EQ(path.back(), 198u);
  EXPECT_EQ(std::set(path.begin(), path.end()).size(), path.size()) << "no vertex twice";
}

TEST(Zdd, ThatNeedsTooMuchIsRefused) {
  const Problem problem = *MakeProblem(Grid(6), 0, 48);
  EXPECT_TRUE(absl::IsResourceExhausted(Zdd::Of(problem, 10'000).status()));
}

}  // namespace
}  // namespace simpath
