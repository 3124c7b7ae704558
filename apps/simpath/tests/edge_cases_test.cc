// What counts come to where it is not the usual: numbers of words that fall again or are many, no
// edges, exceptions; by each mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/modes.h"

namespace simpath {
namespace {

class EdgeCases : public ::testing::TestWithParam<TestedMode> {};

INSTANTIATE_TEST_SUITE_P(By, EdgeCases, ::testing::ValuesIn(AllModes()), [](const auto& mode) {
  std::string name = mode.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

Count PowerOfTwo(int bits) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(bits / 64 + 1), 0);
  words.back() = std::uint64_t{1} << bits % 64;
  return Count(std::span<const std::uint64_t>(words));
}

// The first edge goes to a vertex that has no other, so its weight is in no count but in the bound
// of them.
Problem WithADeadEnd(graph::EdgeList list, const Count& weight) {
  const graph::Vertex target = static_cast<graph::Vertex>(list.vertices - 1);
  list.edges.insert(list.edges.begin(), {0, target + 1});
  ++list.vertices;
  Problem problem = *MakeProblem(list, 0, target);
  problem.weights.assign(problem.edges.size(), 1);
  problem.weights[0] = weight;
  return problem;
}

// A count that has lost words is no longer than the sum that it goes to.
TEST_P(EdgeCases, CountsMayLoseWordsAgain) {
  const auto edge = GetParam().count(WithADeadEnd(Graph(2, {{0, 1}}), PowerOfTwo(1000)), {});
  ASSERT_TRUE(edge.ok()) << edge.status();
  EXPECT_EQ(edge->ToString(), "1");
  // The bound comes to a word more where there are many states, after some steps or more of them.
  for (int bits = 129; bits < 192; bits += 9) {
    const auto grid = GetParam().count(WithADeadEnd(Grid(8), PowerOfTwo(bits)), {});
    ASSERT_TRUE(grid.ok()) << grid.status();
    EXPECT_EQ(grid->ToString(), kGridPaths[7]) << bits;
  }
}

TEST_P(EdgeCases, CountsThatStatesHaveNoRoomForAreRefused) {
  Problem problem = *MakeProblem(Graph(4, {{0, 1}, {1, 2}, {2, 3}}), 0, 3);
  problem.weights.assign(3, PowerOfTwo(40'000));
  const auto counted = GetParam().count(problem, {});
  if (GetParam().name != "sequential") {
    EXPECT_TRUE(absl::IsUnimplemented(counted.status())) << counted.status();
    return;
  }
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_TRUE(*counted == PowerOfTwo(120'000));
}

TEST_P(EdgeCases, AGraphWithoutEdgesNeedsNoMemory) {
  const auto counted = GetParam().count(*MakeProblem(Graph(2, {}), 0, 1), {.memory_limit = 1});
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_EQ(counted->ToString(), "0");
}

TEST_P(EdgeCases, NoThreadWaitsForOneThatThrew) {
  EXPECT_THROW(
      (void)GetParam().count(*MakeProblem(Grid(3), 0, 15),
                             {.progress = [](const Done&) { throw std::runtime_error("stop"); }}),
      std::runtime_error);
}

}  // namespace
}  // namespace simpath
