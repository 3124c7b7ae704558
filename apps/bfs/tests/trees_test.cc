#include "apps/bfs/run/trees.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/bfs/measure/forecast.h"
#include "apps/bfs/problem/answer.h"
#include "apps/bfs/tests/one_answer.h"

namespace bfs {
namespace {

// 0 - 1 - 2, 3 - 4, and 5 alone.
const FoundTree kFromTwo = {.root = 2,
                            .parents = {1, 2, 2, kNoParent, kNoParent, kNoParent},
                            .depths = {2, 1, 0, -1, -1, -1}};
const FoundTree kFromFour = {.root = 4,
                             .parents = {kNoParent, kNoParent, kNoParent, 4, 4, kNoParent},
                             .depths = {-1, -1, -1, 1, 0, -1}};

TEST(ToText, OneTreeHasALineForEachVertexThatItReaches) {
  EXPECT_EQ(ToText(std::vector{kFromTwo}, graph::Ids()), "0 1 2\n1 2 1\n2 2 0\n");
}

TEST(ToText, SeveralTreesHaveAPairOfColumnsEachAndALineThatNamesTheRoots) {
  EXPECT_EQ(ToText(std::vector{kFromTwo, kFromFour}, graph::Ids()),
            "# vertex parent:2 depth:2 parent:4 depth:4\n"
            "0 1 2 -1 -1\n"
            "1 2 1 -1 -1\n"
            "2 2 0 -1 -1\n"
            "3 -1 -1 4 1\n"
            "4 -1 -1 4 0\n");
}

TEST(ToText, VerticesHaveTheIdsOfTheirFile) {
  const graph::Ids ids(
      std::vector<std::uint64_t>{3, 5, 1ull << 40, 1ull << 41, 1ull << 42, 1ull << 63});
  EXPECT_EQ(ToText(std::vector{kFromTwo}, ids),
            "3 5 2\n5 1099511627776 1\n1099511627776 1099511627776 0\n");
}

TEST(ToText, TakesNoMoreBytesThanTheForecastHas) {
  std::vector<FoundTree> trees;
  for (graph::Vertex root = 990; root < 999; ++root) {
    trees.push_back({.root = root,
                     .parents = std::vector<graph::Vertex>(1000, 999),
                     .depths = std::vector<std::int32_t>(1000, 999)});
    EXPECT_LE(ToText(trees, graph::Ids()).size(), BytesOfText(1000, 999, trees.size()))
        << trees.size();
    EXPECT_GE(ToText(trees, graph::Ids()).size() + 150, BytesOfText(1000, 999, trees.size()));
  }
  const std::vector<FoundTree> narrow = {{.root = 0, .parents = {0}, .depths = {0}},
                                         {.root = 0, .parents = {kNoParent}, .depths = {-1}},
                                         {.root = 0, .parents = {kNoParent}, .depths = {-1}}};
  EXPECT_LE(ToText(narrow, graph::Ids()).size(), BytesOfText(1, 0, 3));
}

TEST(TreeOf, IsTheAnswerOfItsKey) {
  Validation validation = RoomFor(6);
  ASSERT_TRUE(validation.Add(4, kFromFour.parents).ok());
  ASSERT_TRUE(validation.Add(2, kFromTwo.parents).ok());
  ASSERT_TRUE(validation.FindLevels(0, 6).ok());
  const FoundTree tree = TreeOf(validation, 1);
  EXPECT_EQ(tree.root, 2u);
  EXPECT_EQ(tree.parents, kFromTwo.parents);
  EXPECT_EQ(tree.depths, kFromTwo.depths);
}

}  // namespace
}  // namespace bfs
