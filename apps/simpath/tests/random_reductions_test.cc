// Random graphs put together in series, side by side and one inside of another's edge, and others,
// reduced, against the count of all paths that are tried. tools/random/seeds.h describes how to run
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/reduce/reduce.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/reduced.h"
#include "tools/random/seeds.h"

namespace simpath {
namespace {

using graph::Vertex;

// Edges between two vertices by up to `edges` edges.
class Composition {
 public:
  explicit Composition(std::mt19937_64& random) : random_(random), list_(Graph(2, {})) {}

  void Join(Vertex from, Vertex to, std::uint64_t edges) {
    const std::uint64_t way = random_() % 4;
    if (edges < 2) {
      list_.edges.push_back({from, to});
    } else if (way == 0) {
      const Vertex middle = NewVertex();
      const std::uint64_t first = 1 + random_() % (edges - 1);
      Join(from, middle, first);
      Join(middle, to, edges - first);
    } else if (way == 1 || edges < 5) {
      const std::uint64_t first = 1 + random_() % (edges - 1);
      Join(from, to, first);
      Join(from, to, edges - first);
    } else {
      const Vertex a = NewVertex(), b = NewVertex();
      std::uint64_t left = edges;
      const auto share = [&](std::uint64_t others) {
        const std::uint64_t some = random_() % 3 == 0 ? left - others : 1;
        left -= some;
        return some;
      };
      Join(from, a, share(4));
      Join(from, b, share(3));
      Join(a, b, share(2));
      Join(a, to, share(1));
      Join(b, to, left);
    }
  }

  // Something that no path from 0 to 1 visits.
  void Hang(std::uint64_t edges) {
    const auto from = static_cast<Vertex>(random_() % list_.vertices);
    Join(from, NewVertex(), edges);
  }

  const graph::EdgeList& list() const { return list_; }

 private:
  Vertex NewVertex() { return static_cast<Vertex>(list_.vertices++); }

  std::mt19937_64& random_;
  graph::EdgeList list_;
};

Problem RandomProblem(std::mt19937_64& random) {
  graph::EdgeList list;
  std::uint64_t source = 0, target = 1;
  if (random() % 3 == 0) {
    list = Graph(2 + random() % 9, {});
    for (std::uint64_t i = random() % 20; i > 0; --i) {
      list.edges.push_back({static_cast<Vertex>(random() % list.vertices),
                            static_cast<Vertex>(random() % list.vertices)});
    }
    source = random() % list.vertices;
    target = random() % list.vertices;
  } else {
    Composition composition(random);
    composition.Join(0, 1, 1 + random() % 25);
    if (random() % 2 == 0) composition.Hang(1 + random() % 6);
    list = composition.list();
  }
  Problem problem = *MakeProblem(list, source, target);
  if (random() % 2 == 0) {
    for (std::size_t i = 0; i < problem.edges.size(); ++i) {
      Count weight = random() % 20 == 0 ? 0 : 1 + random() % 4;
      if (random() % 20 == 0) weight = weight * Count(random()) * Count(random());
      problem.weights.push_back(weight);
    }
  }
  return random() % 2 == 0 ? problem : Relabeled(problem, random);
}

TEST(RandomReductions, KeepTheNumberOfPathsAndLeaveNothingToReduce) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(10'000);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  Reductions made;
  std::uint64_t parts = 0, several_parts = 0, without_parts = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const Problem problem = RandomProblem(random);
    const Count expected = CountByTrying(problem);
    const Reduction reduction = Reduce(problem);
    const auto counted = CountParts(reduction);
    ASSERT_TRUE(counted.ok()) << counted.status();
    ASSERT_EQ(*counted, expected) << "seed " << seed;

    const int widest = reduction.parts().empty() ? 0 : MakePlan(problem).slots;
    for (const Problem& part : reduction.parts()) {
      ASSERT_LE(MakePlan(part).slots, widest) << "seed " << seed;
      const Reduction again = Reduce(part);
      ASSERT_EQ(again.parts().size(), 1u) << "seed " << seed;
      ASSERT_EQ(again.parts()[0].edges, part.edges) << "seed " << seed;
    }
    // Triconnected components are those of the graph, whatever its names and orders are.
    const Reduction relabeled = Reduce(Relabeled(problem, random));
    ASSERT_EQ(SizesOfParts(relabeled), SizesOfParts(reduction)) << "seed " << seed;
    const auto again = CountParts(relabeled);
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(*again, expected) << "seed " << seed;

    made.blocks += reduction.made().blocks;
    made.dropped += reduction.made().dropped;
    made.series += reduction.made().series;
    made.parallel += reduction.made().parallel;
    made.components += reduction.made().components;
    made.sides += reduction.made().sides;
    parts += reduction.parts().size();
    several_parts += reduction.parts().size() > 1;
    without_parts += reduction.parts().empty() && expected.bits() > 1;
  }
  std::printf(
      "%ju blocks, %ju dropped, %ju series, %ju parallel, %ju components, %ju sides; "
      "%ju parts, several of %ju, none of %ju\n",
      std::uintmax_t{made.blocks}, std::uintmax_t{made.dropped}, std::uintmax_t{made.series},
      std::uintmax_t{made.parallel}, std::uintmax_t{made.components}, std::uintmax_t{made.sides},
      std::uintmax_t{parts}, std::uintmax_t{several_parts}, std::uintmax_t{without_parts});
  EXPECT_GT(made.blocks, programs);
  EXPECT_GT(made.dropped, programs);
  EXPECT_GT(made.series, programs / 2);
  EXPECT_GT(made.parallel, programs / 2);
  EXPECT_GT(made.components, programs / 10);
  EXPECT_GT(made.sides, programs / 5);
  EXPECT_GT(several_parts, programs / 10);
  EXPECT_GT(without_parts, programs / 10);
}

}  // namespace
}  // namespace simpath
