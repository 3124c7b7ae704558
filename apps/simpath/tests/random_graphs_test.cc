// Random small graphs, edge orders and ends against the count of all paths that are tried.
// tools/random/seeds.h describes how to run others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/modes.h"
#include "tools/random/seeds.h"

namespace simpath {
namespace {

Count RandomWeight(std::mt19937_64& random) {
  Count weight = random() % 4;  // 0: no path can take the edge
  if (random() % 8 == 0) weight = Count(random()) * Count(random());
  return weight;
}

// Half of them with weights; each in two orders, by one mode in each.
TEST(RandomGraphs, HaveAsManyPathsAsCanBeTried) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(2500);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  const std::vector<TestedMode> modes = AllModes();
  std::uint64_t with_paths = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t vertices = 2 + random() % 9;
    graph::EdgeList list = Graph(vertices, {});
    for (std::uint64_t i = random() % 20; i > 0; --i) {
      list.edges.push_back({static_cast<graph::Vertex>(random() % vertices),
                            static_cast<graph::Vertex>(random() % vertices)});
    }
    const std::uint64_t source = random() % vertices,
                        target = (source + 1 + random() % (vertices - 1)) % vertices;
    auto problem = MakeProblem(list, source, target);
    ASSERT_TRUE(problem.ok()) << problem.status();
    for (int order = 0; order < 2; ++order) {
      problem->weights.clear();
      for (std::size_t i = 0; random() % 2 == 0 && i < problem->edges.size(); ++i) {
        problem->weights.push_back(RandomWeight(random));
      }
      problem->weights.resize(problem->weights.empty() ? 0 : problem->edges.size(), Count(1));
      const Count expected = CountByTrying(*problem);
      const TestedMode& mode = modes[random() % modes.size()];
      const auto counted = mode.count(*problem, {});
      ASSERT_TRUE(counted.ok()) << counted.status();
      ASSERT_EQ(counted->ToString(), expected.ToString())
          << "seed " << seed << ", order " << order << ", " << mode.name;
      std::shuffle(problem->edges.begin(), problem->edges.end(), random);
      with_paths += expected.bits() > 0;
    }
  }
  EXPECT_GT(with_paths, programs / 2);
}

Problem RandomProblem(std::mt19937_64& random) {
  const std::uint64_t vertices = 3 + random() % 7;
  graph::EdgeList list = Graph(vertices, {});
  for (std::uint64_t i = 4 + random() % 14; i > 0; --i) {
    list.edges.push_back({static_cast<graph::Vertex>(random() % vertices),
                          static_cast<graph::Vertex>(random() % vertices)});
  }
  return *MakeProblem(list, 0, vertices - 1);
}

// A copy of `part` whose vertices have other numbers: source and target as said, others from `next`
// on.
void Append(const Problem& part, graph::Vertex source, graph::Vertex target, graph::Vertex& next,
            graph::EdgeList& list) {
  std::vector<graph::Vertex> name(part.vertices);
  for (std::size_t i = 0; i < part.vertices; ++i) {
    name[i] = i == part.source ? source : i == part.target ? target : next++;
  }
  for (const auto [from, to] : part.edges) list.edges.push_back({name[from], name[to]});
}

TEST(RandomGraphs, MultiplyInSeriesAndAddInParallelWhateverTheirVerticesAreCalled) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(2500) / 10;
  const std::vector<TestedMode> modes = AllModes();
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const TestedMode& mode = modes[random() % modes.size()];
    const auto count = [&](const Problem& problem) { return *mode.count(problem, {}); };
    const Problem one = RandomProblem(random), two = RandomProblem(random);
    const Count of_one = count(one), of_two = count(two);

    Problem swapped = one;
    std::swap(swapped.source, swapped.target);
    ASSERT_EQ(count(swapped).ToString(), of_one.ToString()) << "seed " << seed;

    graph::EdgeList series = Graph(one.vertices + two.vertices, {});
    graph::Vertex next = 3;
    Append(one, 0, 1, next, series);
    Append(two, 1, 2, next, series);
    ASSERT_EQ(count(*MakeProblem(series, 0, 2)).ToString(), (of_one * of_two).ToString())
        << "seed " << seed << ", " << mode.name;

    // An edge between the ends would be in both.
    graph::EdgeList parallel = Graph(one.vertices + two.vertices, {});
    next = 2;
    Problem other = two;
    std::erase_if(other.edges, [&](const graph::Edge& edge) {
      return std::minmax(edge.from, edge.to) == std::minmax(other.source, other.target);
    });
    Append(one, 0, 1, next, parallel);
    Append(other, 0, 1, next, parallel);
    std::shuffle(parallel.edges.begin(), parallel.edges.end(), random);
    Count sum = of_one;
    sum += count(other);
    ASSERT_EQ(count(*MakeProblem(parallel, 1, 0)).ToString(), sum.ToString())
        << "seed " << seed << ", " << mode.name;
  }
}

}  // namespace
}  // namespace simpath
