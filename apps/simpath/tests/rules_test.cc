// Paths and cycles by each rule: random small graphs against trying all, and published sequences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "apps/simpath/problem/problem.h"
#include "apps/simpath/problem/rule.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/modes.h"
#include "tools/random/seeds.h"

namespace simpath {
namespace {

using graph::Direction;

std::string Describe(const Rule& rule) {
  return absl::StrCat(rule.is_directed() ? "directed " : "undirected ",
                      rule.visits == Visits::kAllVertices ? "Hamiltonian " : "",
                      rule.shape == Shape::kCycles ? "cycles"
                      : rule.ends == Ends::kAny    ? "paths of all pairs"
                                                   : "paths");
}

std::vector<Rule> AllRules() {
  std::vector<Rule> rules;
  for (const Direction direction : {Direction::kUndirected, Direction::kDirected}) {
    for (const Visits visits : {Visits::kSomeVertices, Visits::kAllVertices}) {
      rules.push_back({Shape::kPaths, Ends::kGiven, visits, direction});
      rules.push_back({Shape::kPaths, Ends::kAny, visits, direction});
      rules.push_back({Shape::kCycles, Ends::kGiven, visits, direction});
    }
  }
  return rules;
}

Problem ProblemOf(graph::EdgeList list, const Rule& rule, std::uint64_t source,
                  std::uint64_t target) {
  list.direction = rule.direction;
  return *MakeProblem(list, source, target, rule);
}

Problem ProblemOf(const graph::EdgeList& list, const Rule& rule) {
  return ProblemOf(list, rule, 0, list.vertices - 1);
}

TEST(RandomRules, CountAsManyAsCanBeTried) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(300);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  const std::vector<TestedMode> modes = AllModes();
  for (const Rule& rule : AllRules()) {
    std::uint64_t with_some = 0;
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      std::mt19937_64 random(seed);
      const std::uint64_t vertices = 2 + random() % 6;
      graph::EdgeList list = Graph(vertices, {});
      for (std::uint64_t i = random() % (rule.is_directed() ? 20 : 16); i > 0; --i) {
        list.edges.push_back({static_cast<graph::Vertex>(random() % vertices),
                              static_cast<graph::Vertex>(random() % vertices)});
      }
      const std::uint64_t source = random() % vertices,
                          target = (source + 1 + random() % (vertices - 1)) % vertices;
      Problem problem = ProblemOf(list, rule, source, target);
      for (int order = 0; order < 2; ++order) {
        problem.weights.clear();
        for (std::size_t i = 0; order == 1 && i < problem.edges.size(); ++i) {
          problem.weights.push_back(random() % 4);  // 0: nothing can take the edge
        }
        const Count expected = CountByTrying(problem);
        const TestedMode& mode = modes[random() % modes.size()];
        const auto counted = mode.count(problem, {});
        ASSERT_TRUE(counted.ok()) << counted.status();
        ASSERT_EQ(counted->ToString(), expected.ToString())
            << Describe(rule) << ", seed " << seed << ", order " << order << ", " << mode.name;
        std::shuffle(problem.edges.begin(), problem.edges.end(), random);
        with_some += expected.bits() > 0;
      }
    }
    EXPECT_GT(with_some, programs / 20) << Describe(rule);
  }
}

Count CountOf(const graph::EdgeList& list, const Rule& rule) {
  static const std::vector<TestedMode> modes = AllModes();
  const Problem problem = ProblemOf(list, rule);
  const Count count = *modes[0].count(problem, {});
  for (const TestedMode& mode : modes) EXPECT_EQ(*mode.count(problem, {}), count) << mode.name;
  return count;
}

constexpr Rule kCycles = {.shape = Shape::kCycles};
constexpr Rule kHamiltonianCycles = {.shape = Shape::kCycles, .visits = Visits::kAllVertices};
constexpr Rule kHamiltonianPaths = {.visits = Visits::kAllVertices};
constexpr Rule kAllPairs = {.ends = Ends::kAny};
constexpr Rule kHamiltonianOfAllPairs = {.ends = Ends::kAny, .visits = Visits::kAllVertices};

// OEIS A140517, indexed by cells a side.
TEST(Cycles, OfGridsAreThoseThatOthersHaveCounted) {
  const std::vector<std::string> cycles = {"1", "13", "213", "9349", "1222363", "487150371"};
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    EXPECT_EQ(CountOf(Grid(static_cast<int>(i) + 1), kCycles).ToString(), cycles[i]) << i;
  }
}

// OEIS A003763, for 2n x 2n vertices. An odd number of vertices has no Hamiltonian cycle.
TEST(HamiltonianCycles, OfGridsAreThoseThatOthersHaveCounted) {
  EXPECT_EQ(CountOf(Grid(1), kHamiltonianCycles).ToString(), "1");
  EXPECT_EQ(CountOf(Grid(3), kHamiltonianCycles).ToString(), "6");
  EXPECT_EQ(CountOf(Grid(5), kHamiltonianCycles).ToString(), "1072");
  EXPECT_EQ(CountOf(Grid(7), kHamiltonianCycles).ToString(), "4638576");
  EXPECT_EQ(CountOf(Grid(4), kHamiltonianCycles).ToString(), "0");
}

// OEIS A001184: from corner to opposite corner, of 2n + 1 vertices a side.
TEST(HamiltonianPaths, OfGridsAreThoseThatOthersHaveCounted) {
  EXPECT_EQ(CountOf(Grid(2), kHamiltonianPaths).ToString(), "2");
  EXPECT_EQ(CountOf(Grid(4), kHamiltonianPaths).ToString(), "104");
  EXPECT_EQ(CountOf(Grid(6), kHamiltonianPaths).ToString(), "111712");
  EXPECT_EQ(CountOf(Grid(3), kHamiltonianPaths).ToString(), "0");
}

// k chosen vertices have (k - 1)! / 2 cycles and k! / 2 paths.
TEST(CompleteGraphs, HaveAsManyAsFormulasSay) {
  for (graph::Vertex n = 3; n <= 8; ++n) {
    std::uint64_t factorial = 1;
    for (graph::Vertex i = 2; i < n; ++i) factorial *= i;
    std::uint64_t cycles = 0, paths = 0;
    for (graph::Vertex visited = 2; visited <= n; ++visited) {
      std::uint64_t orders = 1;  // of so many vertices, one after the other
      for (graph::Vertex i = 0; i < visited; ++i) orders *= n - i;
      paths += orders / 2;
      if (visited > 2) cycles += orders / visited / 2;
    }
    EXPECT_EQ(CountOf(Complete(n), kCycles), Count(cycles)) << n;
    EXPECT_EQ(CountOf(Complete(n), kHamiltonianCycles), Count(factorial / 2)) << n;
    EXPECT_EQ(CountOf(Complete(n), kAllPairs), Count(paths)) << n;
    EXPECT_EQ(CountOf(Complete(n), kHamiltonianOfAllPairs), Count(factorial * n / 2)) << n;
    EXPECT_EQ(CountOf(Complete(n), kHamiltonianPaths), Count(factorial / (n - 1))) << n;
  }
}

TEST(AllPairs, AreTheSumOverThem) {
  for (const graph::EdgeList& list : {Grid(2), Grid(3), King(3), Hypercube(3), Ladder(6)}) {
    for (const Visits visits : {Visits::kSomeVertices, Visits::kAllVertices}) {
      Count sum;
      for (graph::Vertex source = 0; source < list.vertices; ++source) {
        for (graph::Vertex target = source + 1; target < list.vertices; ++target) {
          sum += *CountSequentially(MakePlan(ProblemOf(list, {.visits = visits}, source, target)));
        }
      }
      EXPECT_EQ(CountOf(list, {.ends = Ends::kAny, .visits = visits}), sum);
    }
  }
}

TEST(Directed, BothArcsOfEachEdgeAreTheUndirectedGraph) {
  for (graph::EdgeList list : {Grid(3), King(3), Complete(5)}) {
    const Count paths = CountOf(list, {}), cycles = CountOf(list, kCycles),
                pairs = CountOf(list, kAllPairs);
    const std::size_t edges = list.edges.size();
    for (std::size_t i = 0; i < edges; ++i) {
      list.edges.push_back({list.edges[i].to, list.edges[i].from});
    }
    EXPECT_EQ(CountOf(list, {.direction = Direction::kDirected}), paths);
    EXPECT_EQ(CountOf(list, {.ends = Ends::kAny, .direction = Direction::kDirected}), pairs * 2);
    Count both = cycles * 2;
    both += edges;  // there and back
    EXPECT_EQ(CountOf(list, {.shape = Shape::kCycles, .direction = Direction::kDirected}), both);
  }
}

// Right or down: binomial coefficients.
TEST(Directed, AGridWhoseArcsGoRightAndDownHasBinomialsOfPaths) {
  EXPECT_EQ(CountOf(Grid(4), {.direction = Direction::kDirected}), Count(70));
  EXPECT_EQ(CountOf(Grid(5), {.direction = Direction::kDirected}), Count(252));
  EXPECT_EQ(CountOf(Grid(3), {.shape = Shape::kCycles, .direction = Direction::kDirected}),
            Count(0));
}

}  // namespace
}  // namespace simpath
