// Weights of edges, from the formats that have them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/graph/formats.h"
#include "apps/graph/write.h"

namespace graph {
namespace {

constexpr ParseOptions kKept = {.keep_weights = true};

struct Weighted {
  Format format;
  std::string text;
  std::vector<double> weights;
};

const std::string kBanner = "%%MatrixMarket matrix coordinate ";

TEST(Weights, AreThoseOfTheFileInTheOrderOfItsEdgesWhereTheyAreKept) {
  const Weighted files[] = {
      {Format::kEdgeList, "1 0 0.5\n# c\n2 1 -3 1234567890\n0 2 +1e-400\n", {0.5, -3, 0}},
      {Format::kMatrixMarket,
       kBanner + "real symmetric\n3 3 3\n2 1 1.5\n3 3 -2e-400\n3 1 +7\n",
       {1.5, 0, 7}},
      {Format::kMatrixMarket, kBanner + "integer general\n2 2 2\n2 1 4\n1 2 5\n", {4, 5}},
      {Format::kDimacsGr, "p sp 3 2\na 1 2 803\na 3 1 -1\n", {803, -1}},
      {Format::kMetis, "3 2 11\n9 2 5 3 -6\n9 1 5\n9 1 -6\n", {5, -6}},
      {Format::kMetis, "2 2 1\n2 5 2 6\n1 6 1 5\n", {5, 6}},
      {Format::kRudy, "3 2\n1 2 -1\n3 2 0.25\n", {-1, 0.25}},
      // None.
      {Format::kEdgeList, "1 0\n2 1\n", {}},
      {Format::kMatrixMarket, kBanner + "pattern symmetric\n2 2 1\n2 1\n", {}},
      {Format::kDimacsCol, "p edge 2 1\ne 1 2\n", {}},
      {Format::kMetis, "2 1 10\n7 2\n8 1\n", {}},
  };
  for (const Weighted& file : files) {
    const auto list = Parse(file.format, "file", file.text, kKept);
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_EQ(list->weights, file.weights) << file.text;
    const auto without = Parse(file.format, "file", file.text);
    ASSERT_TRUE(without.ok()) << without.status();
    EXPECT_EQ(without->weights, std::vector<double>()) << file.text;
    EXPECT_EQ(without->edges, list->edges);
  }
}

TEST(Weights, ThatAreNotOneNumberForEachEdgeAreRefusedWhereTheyAreKept) {
  const struct {
    Format format;
    std::string text;
    std::string message;  // after "file"
  } files[] = {
      {Format::kEdgeList, "0 1 5\n1 2\n",
       ":2: found the end of the line, expected a weight, as the edges before have"},
      {Format::kEdgeList, "0 1\n1 2\n2 0 5\n",
       ":3: found '5' as field 3, expected no weight, as of the edges before"},
      {Format::kEdgeList, "0 1 inf\n",
       ":1: found 'inf' as field 3, expected a weight, a finite number"},
      {Format::kRudy, "2 1\n1 2 1e400\n",
       ":2: found '1e400' as field 3, expected a weight, a finite number"},
      {Format::kMatrixMarket, kBanner + "complex hermitian\n2 2 1\n2 1 1 -0.5\n",
       ":1: found 'complex' as field 4, expected pattern, real or integer: other numbers are no "
       "weights"},
      {Format::kMatrixMarket, kBanner + "integer skew-symmetric\n2 2 1\n2 1 7\n",
       ":1: found 'skew-symmetric' as field 5, expected general or symmetric: an edge has one "
       "weight"},
      {Format::kMetis, "3 2 1\n2 5 3 6\n1 5\n1 7\n",
       ":2: found neighbor 3 of vertex 1, expected it to list 1 as often with that "
       "weight (--directed: neighbors are arcs)"},
  };
  for (const auto& file : files) {
    EXPECT_EQ(Parse(file.format, "file", file.text, kKept).status().message(),
              "file" + file.message);
    const auto without = Parse(file.format, "file", file.text);
    EXPECT_TRUE(without.ok()) << without.status();
  }
}

TEST(Weights, AreWrittenWhereTheFormatHasThem) {
  const EdgeList list = {.vertices = 3,
                         .edges = {{0, 1}, {2, 1}},
                         .terminals = {},
                         .max_length = {},
                         .weights = {0.5, -1e30}};
  EXPECT_EQ(*Write(Format::kRudy, list), "3 2\n1 2 0.5\n3 2 -1e+30\n");
  EXPECT_EQ(*Write(Format::kEdgeList, list), "0 1 0.5\n2 1 -1e+30\n");
  EXPECT_EQ(
      *Write(Format::kRudy, {.vertices = 2, .edges = {{0, 1}}, .terminals = {}, .max_length = {}}),
      "2 1\n1 2 1\n");
  EXPECT_EQ(Write(Format::kMetis, list).status().message(),
            "metis cannot hold weights that are no integers");
  EXPECT_EQ(Write(Format::kDimacsCol, list).status().message(), "dimacs-col cannot hold weights");
}

}  // namespace
}  // namespace graph
