#include "apps/graph/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apps/graph/write.h"

namespace graph {

void PrintTo(const Edge& edge, std::ostream* out) { *out << edge.from << "-" << edge.to; }

namespace {

using ::testing::HasSubstr;

using Edges = std::vector<Edge>;

std::string Bytes(std::initializer_list<int> bytes) { return {bytes.begin(), bytes.end()}; }

struct Good {
  const char* name;
  Format format;
  std::string text;
  EdgeList list;
};

constexpr Direction kDirected = Direction::kDirected;
constexpr Direction kUndirected = Direction::kUndirected;

TEST(Formats, GoodFilesBecomeTheEdgesThatTheyList) {
  const Good files[] = {
      {"blanks, comments, weights and times",
       Format::kEdgeList,
       "# SNAP\n% KONECT\n\n 0\t1\n1 2 0.5\n  \n2 0 -1e3 1234567890\n",
       {3, kUndirected, {{0, 1}, {1, 2}, {2, 0}}}},
      {"self-loops and repeated edges stay",
       Format::kEdgeList,
       "4 4\n0 1\n1 0\n0 1\n",
       {5, kUndirected, {{4, 4}, {0, 1}, {1, 0}, {0, 1}}}},
      {"no line end at the end", Format::kEdgeList, "0 1\n1 2", {3, kUndirected, {{0, 1}, {1, 2}}}},
      {"CRLF", Format::kEdgeList, "0 1\r\n\r\n# c\r\n1 2\r\n", {3, kUndirected, {{0, 1}, {1, 2}}}},
      {"ids with gaps",
       Format::kEdgeList,
       "4294967294 0\n9223372036854775808 4294967294\n",
       {3, kUndirected, {{1, 0}, {2, 1}}}},
      {"ids from 1", Format::kEdgeList, "1 2\n3 1\n", {3, kUndirected, {{0, 1}, {2, 0}}}},
      {"a byte order mark, and SNAP's direction",
       Format::kEdgeList,
       "\xef\xbb\xbf# Directed graph (each unordered pair of nodes is saved once): x.txt\n0 1\n",
       {2, kDirected, {{0, 1}}}},
      {"KONECT's direction",
       Format::kEdgeList,
       "% asym unweighted\n1 2\n",
       {2, kDirected, {{0, 1}}}},
      {"KONECT's two sides",
       Format::kEdgeList,
       "% bip unweighted\n% 4 3 5\n1 1\n1 2\n2 2\n3 3\n",
       {8, kUndirected, {{0, 3}, {0, 4}, {1, 4}, {2, 5}}}},

      {"counts before ids from 0",
       Format::kEdgeListNm,
       "5 4\n0 1\n1 2\n2 3\n3 4\n",
       {5, kUndirected, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}}},
      {"counts before ids from 1",
       Format::kEdgeListNm,
       "# c\n5 2\n1 5 0.5\n2 3 1\n",
       {5, kUndirected, {{0, 4}, {1, 2}}}},
      {"counts of no edge", Format::kEdgeListNm, "3 0\n", {3, kUndirected, {}}},

      {"a line of names, commas and weights",
       Format::kCsv,
       "source,target,weight\n0, 1,2.5\r\n1,2,3,\n",
       {3, kUndirected, {{0, 1}, {1, 2}}}},
      {"semicolons", Format::kCsv, "7;8\n9;7\n", {9, kUndirected, {{6, 7}, {8, 6}}}},

      {"a general matrix has arcs",
       Format::kMatrixMarket,
       "%%MatrixMarket matrix coordinate pattern general\n% c\n3 3 2\n1 3\n3 1\n",
       {3, kDirected, {{0, 2}, {2, 0}}}},
      {"a symmetric matrix has edges",
       Format::kMatrixMarket,
       "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 3 -2e-400\n",
       {3, kUndirected, {{1, 0}, {2, 2}}}},
      {"words of the banner in any case",
       Format::kMatrixMarket,
       "%%MatrixMarket MATRIX Coordinate Integer Skew-Symmetric\r\n2 2 1\r\n2 1 +7",
       {2, kUndirected, {{1, 0}}}},
      {"entries of both triangles",
       Format::kMatrixMarket,
       "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n3 2\n",
       {3, kUndirected, {{0, 1}, {2, 1}}}},
      {"rows and columns are two sides",
       Format::kMatrixMarket,
       "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n",
       {5, kUndirected, {{0, 4}, {1, 2}}}},
      {"complex numbers",
       Format::kMatrixMarket,
       "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 -0.5\n",
       {2, kUndirected, {{1, 0}}}},
      {"a matrix without entries",
       Format::kMatrixMarket,
       "%%MatrixMarket matrix coordinate pattern general\n4 4 0\n",
       {4, kDirected, {}}},

      {"arcs",
       Format::kDimacsGr,
       "c\nc road\np sp 3 2\na 1 2 803\na 3 1 -1\n",
       {3, kDirected, {{0, 1}, {2, 0}}}},
      {"edges",
       Format::kDimacsCol,
       "c\np edge 3 2\nn 1 7\ne 1 2\ne 3 1\n",
       {3, kUndirected, {{0, 1}, {2, 0}}}},
      {"col is another word for edge",
       Format::kDimacsCol,
       "p col 2 1\r\ne 2 1",
       {2, kUndirected, {{1, 0}}}},

      {"a flow's source and sink",
       Format::kDimacsMax,
       "c\np max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 4\n",
       {3, kDirected, {{0, 1}, {1, 2}}, {{0, 2}}}},
      {"PACE's graphs",
       Format::kPace,
       "c x\np tw 4 3\n1 2\n2 3\nc y\n3 4\n",
       {4, kUndirected, {{0, 1}, {1, 2}, {2, 3}}}},

      {"Pajek's edges beside a picture",
       Format::kPajek,
       "*Network x\n*Vertices 3\n1 \"a b\" 0.1 0.2\n2 \"*c\"\n% c\n*Edges\n1 2 3.5 c Blue\n2 3\n",
       {3, kUndirected, {{0, 1}, {1, 2}}}},
      {"Pajek's heading after blanks",
       Format::kPajek,
       "*Vertices 3\n  *Edges\n1 2\n2 3\n",
       {3, kUndirected, {{0, 1}, {1, 2}}}},
      {"Pajek's edges beside arcs",
       Format::kPajek,
       "*vertices 3\r\n*arcslist\r\n1 2 3\r\n*edges\r\n2 3 1\r\n",
       {3, kDirected, {{1, 2}, {0, 1}, {0, 2}, {2, 1}}}},

      {"Ligra's rows",
       Format::kLigra,
       "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n",
       {3, kDirected, {{0, 1}, {0, 2}, {2, 0}}}},
      {"Ligra's weights",
       Format::kLigra,
       "WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n7\n",
       {2, kDirected, {{0, 1}}}},

      {"a triangle and an isolated vertex",
       Format::kMetis,
       "% c\n4 3\n2 3\n1 3\n% c\n1 2\n\n",
       {4, kUndirected, {{0, 1}, {0, 2}, {1, 2}}}},
      {"an isolated last vertex without its line end",
       Format::kMetis,
       "3 1\n2\n1\n",
       {3, kUndirected, {{0, 1}}}},
      {"weights of edges", Format::kMetis, "2 1 1\n2 5\n1 5", {2, kUndirected, {{0, 1}}}},
      {"weights of vertices",
       Format::kMetis,
       "2 1 010 2\n7 7 2\n8 8 1\n",
       {2, kUndirected, {{0, 1}}}},
      {"sizes and both weights",
       Format::kMetis,
       "2 1 111\r\n9 7 2 5\r\n9 8 1 5\r\n\r\n",
       {2, kUndirected, {{0, 1}}}},
      {"a repeated edge", Format::kMetis, "2 2\n2 2\n1 1\n", {2, kUndirected, {{0, 1}, {0, 1}}}},
      {"no vertices", Format::kMetis, "0 0\n", {0, kUndirected, {}}},

      {"length and terminals",
       Format::kIcgca,
       "c x\np edge 3 2\ne 1 2\nl 5\ne 2 3\nt 1 3\n",
       {3, kUndirected, {{0, 1}, {1, 2}}, {{0, 2}}, 5}},
      {"all pairs", Format::kIcgca, "p edge 3 1\ne 1 2\nl 0\n", {3, kUndirected, {{0, 1}}, {}, 0}},

      {"comments, reals and an isolated vertex",
       Format::kRudy,
       "# Gset\n4 3\n1 2 1\r\n% c\n3 1 -0.5\n\n3 3 +2e-400",
       {4, kUndirected, {{0, 1}, {2, 0}, {2, 2}}}},
      {"no edges", Format::kRudy, "3 0\n", {3, kUndirected, {}}},

      {"pairs",
       Format::kGraph500,
       Bytes({1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0}),
       {259, kUndirected, {{1, 258}}}},
      {"packed edges",
       Format::kGraph500Packed,
       Bytes({1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}),
       {259, kUndirected, {{1, 258}, {3, 3}}}},
  };
  for (const Good& good : files) {
    SCOPED_TRACE(good.name);
    const auto list = Parse(good.format, "file", good.text);
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_EQ(list->vertices, good.list.vertices);
    EXPECT_EQ(list->edges, good.list.edges);
    EXPECT_EQ(list->direction, good.list.direction);
    EXPECT_EQ(list->terminals, good.list.terminals);
    EXPECT_EQ(list->max_length, good.list.max_length);
  }
}

TEST(Formats, AnEdgeListsIdsAreAsTheRuleSays) {
  const auto parse = [](std::string_view text, IdRule ids) {
    return *Parse(Format::kEdgeList, "g", text, {.ids = ids, .direction = {}});
  };
  EXPECT_EQ(parse("1 3", IdRule::kGuess).ids, Ids(1));
  EXPECT_EQ(parse("1 3", IdRule::kGuess).vertices, 3u);
  EXPECT_EQ(parse("1 3", IdRule::kFromZero).vertices, 4u);
  EXPECT_EQ(parse("2 3", IdRule::kFromOne).vertices, 3u);
  EXPECT_EQ(parse("4294967295 1", IdRule::kFromOne).vertices, 4294967295u);
  EXPECT_EQ(parse("4294967294 1", IdRule::kFromZero).vertices, 4294967295u);
  EXPECT_EQ(parse("4294967294 1", IdRule::kGuess).vertices, 2u);
  EXPECT_EQ(parse("1 3", IdRule::kCompact).ids, Ids(std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(parse("5 6", IdRule::kCompact).ids, Ids(5));
}

TEST(Formats, SidesWithGapsInTheirIdsStayApart) {
  const auto list = Parse(Format::kEdgeList, "g", "% bip\n1 1000000\n5000000 1\n");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->left_vertices, 2u);
  EXPECT_EQ(list->edges, (Edges{{0, 3}, {1, 2}}));
  EXPECT_EQ(list->ids, Ids(std::vector<std::uint64_t>{1, 5000000, 5000001, 6000000}));
}

TEST(Formats, ADirectionIsSaidWhereTheFormatDoesNot) {
  const ParseOptions directed = {.direction = kDirected}, undirected = {.direction = kUndirected};
  EXPECT_EQ(Parse(Format::kEdgeList, "g", "0 1", directed)->direction, kDirected);
  EXPECT_EQ(Parse(Format::kDimacsGr, "g", "p sp 2 1\na 1 2 1", undirected)->direction, kUndirected);
  EXPECT_EQ(std::string(
                Parse(Format::kDimacsCol, "g", "p edge 2 1\ne 1 2\n", directed).status().message()),
            "g: its edges have no direction, by its format dimacs-col or its comments");
  // As gapbs writes graphs in METIS' format.
  const auto metis = Parse(Format::kMetis, "g", "3 3\n1 3\n\n2\n", directed);
  ASSERT_TRUE(metis.ok()) << metis.status();
  EXPECT_EQ(metis->edges, (Edges{{0, 0}, {0, 2}, {2, 1}}));
  EXPECT_FALSE(Parse(Format::kEdgeList, "g", "% bip\n1 1\n", directed).ok());
}

TEST(Formats, EachNameNamesItsFormat) {
  for (const Format format : kFormats) EXPECT_EQ(*ParseFormat(FormatName(format)), format);
  EXPECT_THAT(
      std::string(ParseFormat("gml").status().message()),
      HasSubstr("'gml' is no format of graphs: expected one of edge-list, edge-list-nm, csv, "
                "matrix-market"));
}

TEST(Guess, FirstLinesSayMoreThanTheExtensionAndTheExtensionMoreThanNumbers) {
  const struct {
    const char* file;
    std::string bytes;
    Format format;
  } guesses[] = {
      {"a.txt", "%%MatrixMarket matrix coordinate pattern general\n", Format::kMatrixMarket},
      {"a.mtx", "% no banner", Format::kMatrixMarket},
      {"a", "c x\np sp 3 2\n", Format::kDimacsGr},
      {"a", "c x\np edge 3 2\ne 1 2\n", Format::kDimacsCol},
      {"a.col", "p col 3 2\ne 1 2\nl 4\n", Format::kIcgca},
      {"a.icgca", "p edge 3 2\ne 1 2\n", Format::kIcgca},
      {"a", "p edge 3 2\ne 1 2\nt 1 2\n", Format::kIcgca},
      {"a.b/a.gr", "", Format::kDimacsGr},
      {"a.graph", "3 1\n2\n1\n\n", Format::kMetis},
      {"test.mgraph", "3 1\n2\n1\n\n", Format::kMetis},
      {"a.gr", "c x\np tw 4 3\n1 2\n", Format::kPace},
      {"a", "p max 4 3\n", Format::kDimacsMax},
      {"a", "AdjacencyGraph\n", Format::kLigra},
      {"a", "% c\n*Vertices 3\n", Format::kPajek},
      {"a.sg", "", Format::kGapbs},
      {"a.csv", "0 1\n", Format::kCsv},
      {"a.graph.bz2", "3 1\n2\n1\n\n", Format::kMetis},
      {"a.tar.gz:x/a.sg", "", Format::kGapbs},
      {"a.edges", "24,6,1084560796\n", Format::kCsv},
      {"a.tsv", "source\ttarget\n0\t1\n", Format::kCsv},
      {"a", "1 abc\n", Format::kEdgeList},
      {"a", "# Directed graph (x)\n2 1\n1 2\n", Format::kEdgeList},
      {"a", "% bip unweighted\n% 2 2 2\n2 1\n1 2\n", Format::kEdgeList},
      {"a", "p edges 3 2\ne 1 2\n", Format::kDimacsCol},
      {"a.gr", "p htd 3 2\n1 2\n2 3\n", Format::kDimacsGr},
      {"a", "source,target\n0,1\n", Format::kCsv},
      {"a", "5 4\n0 1\n1 2\n2 3\n3 4\n", Format::kEdgeListNm},
      {"a.edges", "5 4\n5 1\n1 2\n2 3\n3 4\n", Format::kEdgeListNm},
      {"a", "5 4\n5 0\n1 2\n2 3\n3 4\n", Format::kEdgeList},
      {"a", "5 4\n0 1\n1 2\n2 3\n", Format::kEdgeList},
      {"a", "5 4\n0 1\n1 2\n2 3\n3 6\n", Format::kEdgeList},
      {"a.txt", "# SNAP\n0 1\n", Format::kEdgeList},
      {"a.el", "nonsense", Format::kEdgeList},
      {"G11", "3 2\n1 2 1\n2 3 -1\n", Format::kRudy},
      {"a.txt", "# c\n3 1\n\n1 2 0.5\n", Format::kRudy},
      {"a.el", "3 2\n1 2 1\n2 3 -1\n", Format::kEdgeListNm},
      {"a.rud", "3 2\n", Format::kRudy},
      {"a.rudy", "3 2\n", Format::kRudy},
      {"a.mc", "3 2\n", Format::kRudy},
      {"a.txt", "0 1 1\n1 2 1\n", Format::kEdgeList},
      {"a.txt", "0 1\n1 2\n0 2 1\n2 3\n", Format::kEdgeList},
      {"a.txt", "0 1\n1 2 1 1234567890\n", Format::kEdgeList},
      {"a.txt", "0 1\n1 2 heavy\n", Format::kEdgeList},
      {"a.txt", "0 1\n", Format::kEdgeList},
      {"a.bin", Bytes({1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0}), Format::kGraph500},
      {"a.bin", Bytes({1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}),
       Format::kGraph500Packed},
  };
  for (const auto& guess : guesses) {
    const auto format = GuessFormat(guess.file, guess.bytes);
    ASSERT_TRUE(format.ok()) << format.status();
    EXPECT_EQ(FormatName(*format), FormatName(guess.format)) << guess.file << " " << guess.bytes;
  }
}

TEST(Guess, AFileThatSaysNothingIsRefusedWithItsFirstLine) {
  const std::string expected =
      ", expected the first line of a graph in one of the formats of --format";
  const struct {
    std::string bytes, found;
  } files[] = {{"", ":1: found an empty file"},
               {"hello\n", ":1: found 'hello' as field 1"},
               {"# only a comment\n", ":1: found the end of the file"},
               {"# c\nx 0\n", ":2: found 'x' as field 1"}};
  for (const auto& file : files) {
    EXPECT_EQ(std::string(GuessFormat("a.txt", file.bytes).status().message()),
              "a.txt" + file.found + expected);
  }
  EXPECT_EQ(std::string(GuessFormat("a.bin", std::string(48, '\0')).status().message()),
            "a.bin: byte 0: found bytes that are no text, expected one of the binary formats of "
            "--format")
      << "both fit";
  EXPECT_EQ(std::string(GuessFormat("a.csv", std::string("\xff\xfe\x30\0", 4)).status().message()),
            "a.csv:1: found text of 16 bits a character, expected UTF-8");
}

TEST(Write, IdsWithGapsAreKeptOrRefused) {
  const EdgeList list = *Parse(Format::kEdgeList, "g", "5 9223372036854775808\n");
  for (const Format format : {Format::kEdgeList, Format::kCsv, Format::kGapbs, Format::kGraph500}) {
    const auto back = Parse(format, "g", *Write(format, list));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->ids, list.ids) << FormatName(format);
  }
  EXPECT_EQ(std::string(Write(Format::kMetis, list).status().message()),
            "metis cannot hold ids with gaps");
}

TEST(Write, AFormatThatCannotHoldTheListRefusesIt) {
  EdgeList list = {2, kUndirected, {{0, 0}}};
  EXPECT_EQ(Write(Format::kMetis, list).status().message(),
            "metis cannot hold an edge from a vertex to itself");
  EXPECT_EQ(Write(Format::kDimacsGr, list).status().message(),
            "dimacs-gr cannot hold edges without a direction");
  list.max_length = 3;
  EXPECT_EQ(Write(Format::kEdgeList, list).status().message(),
            "edge-list cannot hold terminals or a length bound");
  list.direction = kDirected;
  EXPECT_EQ(Write(Format::kIcgca, list).status().message(),
            "icgca cannot hold edges with a direction");
}

}  // namespace
}  // namespace graph
