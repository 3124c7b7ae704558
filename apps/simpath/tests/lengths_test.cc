// Bounded lengths: random small graphs of all rules, by all modes, reduced and unreduced, against
// trying all.
#include "apps/simpath/problem/lengths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "apps/simpath/counting/any_graph.h"
#include "apps/simpath/counting/prepared.h"
#include "apps/simpath/counting/walk.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "tools/random/seeds.h"

namespace simpath {
namespace {

using graph::Direction;

Count PowerOfTwo(int bits) {
  Count power = 1;
  for (int i = 0; i < bits; ++i) power = power * 2;
  return power;
}

TEST(Lengths, ArePackedAndTheFirstAreSummedUp) {
  for (const int bits : {1, 7, 63, 64, 65, 200}) {
    const Lengths lengths(bits, 2);
    EXPECT_EQ(lengths.x(), PowerOfTwo(bits));
    EXPECT_EQ(lengths.packed_bits(), static_cast<std::size_t>(3 * bits));
    // 1 + x + x^2 + x^3, of which the last is too long.
    Count packed = 1;
    for (int i = 1; i <= 3; ++i) packed += PowerOfTwo(bits * i);
    EXPECT_EQ(lengths.UpToMost(packed), Count(3));
  }
  Count all_bits = PowerOfTwo(70) * 9;
  all_bits += PowerOfTwo(140) * 5;
  EXPECT_EQ(Lengths(70, 1).UpToMost(all_bits), Count(9));
}

TEST(WithoutFarEdges, KeepsThoseOfSomeShortPathOnly) {
  // 0-1-2-3 and the way round by 4 and 5.
  const Problem problem =
      *MakeProblem(Graph(6, {{0, 1}, {1, 2}, {2, 3}, {1, 4}, {4, 5}, {5, 2}}), 0, 3);
  EXPECT_EQ(WithoutFarEdges(problem, 2).edges.size(), 0u);
  EXPECT_EQ(WithoutFarEdges(problem, 3).edges, (std::vector<graph::Edge>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(WithoutFarEdges(problem, 5).edges, problem.edges);
}

Count CountBy(const Problem& problem, Mode mode, Reducing reducing) {
  static const topo::Topology machine = *topo::FromSynthetic("pack:1 [numa] core:2 pu:1");
  static const topo::Mapping mapping = topo::Plan(machine, topo::Policy::kNone, 2)->Unbound();
  const auto count =
      CountAnyGraph(Prepared(problem, reducing, Order::kBest), mode, machine, mapping,
                    {.progress = [](const std::string&) {}, .checkpoint = {}, .may_walk = false});
  EXPECT_TRUE(count.ok()) << count.status();
  return count.ok() ? *count : Count();
}

TEST(RandomLengths, CountAsManyAsCanBeTried) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(500);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::uint64_t some = 0, all = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    Rule rule;
    rule.shape = random() % 3 == 0 ? Shape::kCycles : Shape::kPaths;
    if (rule.shape == Shape::kPaths && random() % 3 == 0) rule.ends = Ends::kAny;
    if (random() % 4 == 0) rule.visits = Visits::kAllVertices;
    const std::uint64_t vertices = 2 + random() % 7;
    graph::EdgeList list = Graph(vertices, {});
    if (random() % 4 == 0) list.direction = Direction::kDirected;
    for (std::uint64_t i = 4 + random() % 16; i > 0; --i) {
      list.edges.push_back({static_cast<graph::Vertex>(random() % vertices),
                            static_cast<graph::Vertex>(random() % vertices)});
    }
    const std::uint64_t source = random() % vertices, target = random() % vertices;
    Problem problem = *MakeProblem(list, source, target, rule);
    const std::uint64_t most = random() % (vertices + 2);
    const Count expected = CountByTrying(problem, most);
    problem.max_length = most;
    if (rule.has_terminals() && random() % 2 == 0) problem = WithoutFarEdges(problem, most);
    const Mode mode = std::vector{Mode::kSequential, Mode::kEba, Mode::kPartition}[random() % 3];
    const Reducing reducing = random() % 2 == 0 ? Reducing::kOn : Reducing::kOff;
    ASSERT_EQ(CountBy(problem, mode, reducing).ToString(), expected.ToString())
        << "seed " << seed << ", " << ToString(mode);
    if (!rule.has_terminals() || source != target) {
      for (const Problem& each : {problem, Reversed(problem)}) {
        ASSERT_EQ(CountByWalking(each, 1'000'000).value(), std::stoull(expected.ToString()))
            << "seed " << seed;
      }
    }
    some += expected.bits() > 0;
    all += expected == CountByTrying(problem);
  }
  EXPECT_GT(some, programs / 4);
  EXPECT_LT(all, programs * 4 / 5) << "most bounds cut something off";
}

TEST(CountByWalking, EndsAfterItsSteps) {
  Problem problem = *MakeProblem(Grid(6), 0, 48);
  EXPECT_FALSE(CountByWalking(problem, 100'000));
  problem.max_length = 12;
  EXPECT_EQ(CountByWalking(problem, 100'000), 924u);
}

// A contracted chain keeps its length.
TEST(Lengths, OfContractedChainsAreKept) {
  Problem problem = *MakeProblem(Graph(70, {{0, 69}, {0, 1}}), 0, 69);
  for (graph::Vertex i = 1; i < 69; ++i) problem.edges.push_back({i, i + 1});
  for (const std::uint64_t most : {1, 68, 69}) {
    problem.max_length = most;
    EXPECT_EQ(CountBy(problem, Mode::kPartition, Reducing::kOn), Count(most == 69 ? 2 : 1)) << most;
  }
}

// The shortest paths of a grid are a binomial coefficient.
TEST(Lengths, OfGridsGoFromBinomialsToAllPaths) {
  for (const Mode mode : {Mode::kSequential, Mode::kEba, Mode::kPartition}) {
    Problem problem = *MakeProblem(Grid(6), 0, 48);
    problem.max_length = 11;
    EXPECT_EQ(CountBy(problem, mode, Reducing::kOn), Count(0));
    problem.max_length = 12;
    EXPECT_EQ(CountBy(problem, mode, Reducing::kOn), Count(924));
    problem.max_length = 48;
    EXPECT_EQ(CountBy(problem, mode, Reducing::kOn).ToString(), kGridPaths[5]);
  }
}

}  // namespace
}  // namespace simpath
