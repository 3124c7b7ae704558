// The faults that each parser finds in a file of another format.
#include <gtest/gtest.h>

#include <string>

#include "apps/graph/formats.h"

namespace graph {
namespace {

struct Bad {
  std::string text;
  std::string message;  // after "file"
};

void ExpectFaults(Format format, std::initializer_list<Bad> files) {
  for (const Bad& bad : files) {
    const auto list = Parse(format, "file", bad.text);
    ASSERT_FALSE(list.ok()) << bad.text;
    EXPECT_TRUE(absl::IsInvalidArgument(list.status()));
    EXPECT_EQ(std::string(list.status().message()), "file" + bad.message) << bad.text;
  }
}

// With bytes of zero.
template <std::size_t size>
std::string Text(const char (&text)[size]) {
  return {text, size - 1};
}

TEST(FormatFaults, OfAnEdgeList) {
  const std::string vertex = ", expected a vertex from 0 to 9223372036854775808";
  ExpectFaults(
      Format::kEdgeList,
      {
          {"", ":1: found an empty file, expected an edge, as '0 1'"},
          {"\n# c\n", ":2: found the end of the file, expected an edge, as '0 1'"},
          {"0 1\n-1 2\n", ":2: found '-1' as field 1" + vertex},
          {"0 99999999999999999999999\n",
           ":1: found '99999999999999999999999' as field 2" + vertex},
          {"0 1\r\n\r\n0\r\n", ":3: found the end of the line" + vertex},
          {"0 1.0\n", ":1: found '1.0' as field 2" + vertex},
          {"0,1\n", ":1: found '0,1' as field 1" + vertex},
          {"+0 1\n", ":1: found '+0' as field 1" + vertex},
          {"0x1 1\n", ":1: found '0x1' as field 1" + vertex},
          {Text("0 1\n1\0 2\n"), ":2: found '1\\x00' as field 1" + vertex},
          {Text("0 \0001\n"), ":1: found '\\x001' as field 2" + vertex},
          {"0 1\r2 3\r", ":1: found '1\\x0d2' as field 2" + vertex},
          {"0 1 heavy\n", ":1: found 'heavy' as field 3, expected a weight"},
          {"0 1 1 late\n", ":1: found 'late' as field 4, expected a time"},
          {"0 1 1 1 1\n", ":1: found '1' as field 5, expected the end of the line"},
          {std::string(50, 'x'), ":1: found '" + std::string(40, 'x') + "...' as field 1" + vertex},
      });
  EXPECT_EQ(Parse(Format::kEdgeList, "file", "0 1", {.ids = IdRule::kFromOne}).status().message(),
            "file:1: found '0' as field 1, expected a vertex from 1 to 4294967295");
}

TEST(FormatFaults, OfMatrixMarket) {
  const std::string banner = ", expected the banner %%MatrixMarket matrix coordinate";
  const std::string general = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::string skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n";
  ExpectFaults(
      Format::kMatrixMarket,
      {
          {"", ":1: found an empty file" + banner},
          {"3 3 1\n", ":1: found '3' as field 1" + banner},
          {"%%MatrixMarket matrix\n", ":1: found the end of the line" + banner},
          {"%%MatrixMarket matrix array real general\n", ":1: found 'array' as field 3" + banner},
          {"%%MatrixMarket matrix coordinate quaternion general\n",
           ":1: found 'quaternion' as field 4, expected pattern, real, integer or complex"},
          {"%%MatrixMarket matrix coordinate real diagonal\n",
           ":1: found 'diagonal' as field 5, expected general, symmetric, skew-symmetric or "
           "hermitian"},
          {"%%MatrixMarket matrix coordinate real general or so\n",
           ":1: found 'or' as field 6, expected the end of the line"},
          {general, ":1: found the end of the file, expected rows, columns and entries"},
          {general + "3 3\n", ":2: found the end of the line, expected a number of entries from 0"},
          {general + "3 3 1 1\n", ":2: found '1' as field 4, expected the end of the line"},
          {general + "4294967296 1 1\n",
           ":2: found '4294967296' as field 1, expected a number of rows from 0 to 4294967295"},
          {symmetric + "3 4 1\n",
           ":2: found 3 rows and 4 columns, expected a square matrix, as it is symmetric"},
          {general + "4294967295 1 1\n",
           ":2: found 4294967295 rows and 1 columns, expected at most 4294967295 together"},
          {general + "3 3 1\n0 1\n", ":3: found '0' as field 1, expected a vertex from 1 to 3"},
          {general + "3 3 1\n1 4\n", ":3: found '4' as field 2, expected a vertex from 1 to 3"},
          {general + "3 3 1\n1 2 5\n", ":3: found '5' as field 3, expected the end of the line"},
          {general + "% c\n3 3 2\n1 2\n",
           ":4: found the end of the file after entry 1, expected 2, as line 3 announces"},
          {general + "3 3 1\n1 2\n\n2 1\n", ":5: found entry 2, expected 1, as line 2 announces"},
          {symmetric + "3 3 1\n2 1\n", ":3: found the end of the line, expected a number"},
          {symmetric + "3 3 1\n2 1 x\n", ":3: found 'x' as field 3, expected a number"},
          {skew + "3 3 1\n2 1 1.5\n", ":3: found '1.5' as field 3, expected an integer"},
          {skew + "3 3 1\n1 1 1\n",
           ":3: found an entry on the diagonal, expected only others in this symmetry"},
      });
}

TEST(FormatFaults, OfDimacs) {
  const std::string problem = ", expected 'p sp VERTICES ARCS'";
  ExpectFaults(
      Format::kDimacsGr,
      {
          {"", ":1: found an empty file" + problem},
          {"c only\n", ":1: found the end of the file" + problem},
          {"a 1 2 3\n", ":1: found 'a' as field 1" + problem},
          {"p edge 2 1\n", ":1: found 'edge' as field 2" + problem},
          {"p sp 2\n", ":1: found the end of the line, expected a number of edges from 0"},
          {"p sp 4294967296 0\n",
           ":1: found '4294967296' as field 3, expected a number of vertices from 0 to 4294967295"},
          {"p sp 2 1 0\n", ":1: found '0' as field 5, expected the end of the line"},
          {"p sp 2 1\np sp 2 1\n", ":2: found 'p' as field 1, expected a line of type c or a"},
          {"p sp 2 1\ne 1 2\n", ":2: found 'e' as field 1, expected a line of type c or a"},
          {"p sp 2 1\na 0 1 1\n", ":2: found '0' as field 2, expected a vertex from 1 to 2"},
          {"p sp 4294967295 18446744073709551615\n",
           ":1: found the end of the file after edge 0, expected 18446744073709551615, as line 1 "
           "announces"},
          {"p sp 0 1\na 1 1 1\n",
           ":2: found '1' as field 2, expected a vertex, of which there is none"},
          {"p sp 2 1\na 1 3 1\n", ":2: found '3' as field 3, expected a vertex from 1 to 2"},
          {"p sp 2 1\na 1 2\n", ":2: found the end of the line, expected a weight"},
          {"p sp 2 1\na 1 2 1.5\n", ":2: found '1.5' as field 4, expected a weight"},
          {"p sp 2 1\na 1 2 1 1\n", ":2: found '1' as field 5, expected the end of the line"},
          {"p sp 2 1\na 1 2 1\na 1 2 1\n", ":3: found edge 2, expected 1, as line 1 announces"},
          {"c\np sp 2 2\na 1 2 1\n",
           ":3: found the end of the file after edge 1, expected 2, as line 2 announces"},
      });
  ExpectFaults(
      Format::kDimacsCol,
      {
          {"p sp 2 1\n", ":1: found 'sp' as field 2, expected 'p edge VERTICES EDGES'"},
          {"p edge 2 1\ne 1 2 3\n", ":2: found '3' as field 4, expected the end of the line"},
          {"p edge 2 1\nl 3\n", ":2: found 'l' as field 1, expected a line of type c or e"},
          {"p edge 2 1\nedge 1 2\n", ":2: found 'edge' as field 1, expected a line of type c or e"},
      });
}

TEST(FormatFaults, OfIcgca) {
  const std::string begin = "p edge 2 1\ne 1 2\n";
  ExpectFaults(
      Format::kIcgca,
      {
          {begin + "x\n", ":3: found 'x' as field 1, expected a line of type c, e, l or t"},
          {begin + "l\n", ":3: found the end of the line, expected a number of edges from 0"},
          {begin + "l -1\n", ":3: found '-1' as field 2, expected a number of edges from 0"},
          {begin + "l 1\nl 2\n", ":4: found a second length bound, expected one"},
          {begin + "t 1\n", ":3: found the end of the line, expected a vertex from 1 to 2"},
          {begin + "t 1 3\n", ":3: found '3' as field 3, expected a vertex from 1 to 2"},
          {begin + "t 1 2 1\n", ":3: found '1' as field 4, expected the end of the line"},
          {"t 1 2\n" + begin, ":1: found 't' as field 1, expected 'p edge VERTICES EDGES'"},
      });
}

TEST(FormatFaults, OfMetis) {
  ExpectFaults(
      Format::kMetis,
      {
          {"", ":1: found an empty file, expected a line with the numbers of vertices and edges"},
          {"% c\n",
           ":1: found the end of the file, expected a line with the numbers of vertices and edges"},
          {"2\n", ":1: found the end of the line, expected a number of edges from 0"},
          {"2 1 2\n", ":1: found '2' as field 3, expected up to three digits 0 or 1"},
          {"2 1 0001\n", ":1: found '0001' as field 3, expected up to three digits 0 or 1"},
          {"2 1 10 0\n",
           ":1: found '0' as field 4, expected a number of weights of a vertex from 1 to 1000000"},
          {"2 1 111 18446744073709551615\n2 1\n1 1\n",
           ":1: found '18446744073709551615' as field 4, expected a number of weights of a vertex "
           "from "
           "1 to 1000000"},
          {"2 1 10 1 1\n", ":1: found '1' as field 5, expected the end of the line"},
          {"2 1\n0\n1\n", ":2: found '0' as field 1, expected a vertex from 1 to 2"},
          {"2 1\n2\n3\n", ":3: found '3' as field 1, expected a vertex from 1 to 2"},
          {"2 1\n1\n1\n", ":2: found vertex 1 as its own neighbor, expected another vertex"},
          {"3 1\n2\n",
           ":2: found the end of the file after the line of vertex 1, expected lines of 3 "
           "vertices, as line 1 announces"},
          {"2 1\n2\n1\n\n2\n",
           ":5: found '2' as field 1, expected the end of the file after lines of 2 "
           "vertices, as line 1 announces"},
          {"2 1 1\n2\n1 1\n", ":2: found the end of the line, expected a weight of the edge"},
          {"2 1 10\n\n7 1\n", ":2: found the end of the line, expected a weight of the vertex"},
          {"3 2\n2 3\n1\n\n",
           ":2: found neighbor 3 of vertex 1, expected it to list 1 as often "
           "(--directed: neighbors are arcs)"},
          {"3 1\n\n1\n\n",
           ":3: found neighbor 1 of vertex 2, expected it to list 2 as often "
           "(--directed: neighbors are arcs)"},
          {"% c\n2 2\n2\n1\n", ":4: found 1 edge, expected 2 edges, as line 2 announces"},
      });
}

TEST(FormatFaults, OfRudy) {
  ExpectFaults(
      Format::kRudy,
      {
          {"", ":1: found an empty file, expected a line with the numbers of vertices and edges"},
          {"3\n", ":1: found the end of the line, expected a number of edges from 0"},
          {"4294967296 0\n",
           ":1: found '4294967296' as field 1, expected a number of vertices from 0 to 4294967295"},
          {"3 2 1\n", ":1: found '1' as field 3, expected the end of the line"},
          {"3 1\n0 1 1\n", ":2: found '0' as field 1, expected a vertex from 1 to 3"},
          {"3 1\n1 4 1\n", ":2: found '4' as field 2, expected a vertex from 1 to 3"},
          {"3 1\n1\n", ":2: found the end of the line, expected a vertex from 1 to 3"},
          {"3 1\n1 2\n", ":2: found the end of the line, expected a weight"},
          {"3 1\n1 2 heavy\n", ":2: found 'heavy' as field 3, expected a weight"},
          {"3 1\n1 2 1 1\n", ":2: found '1' as field 4, expected the end of the line"},
          {"3 1\n1 2 1\n\n2 3 1\n", ":4: found edge 2, expected 1, as line 1 announces"},
          {"# c\n3 2\n1 2 1\n",
           ":3: found the end of the file after edge 1, expected 2, as line 2 announces"},
      });
}

TEST(FormatFaults, OfGraph500) {
  const std::string id = ", expected a vertex from 0 to 9223372036854775808";
  const std::string pair(16, '\0');
  ExpectFaults(Format::kGraph500,
               {
                   {"", ": byte 0: found an empty file, expected a pair of 64-bit ids"},
                   {pair + "1234567",
                    ": byte 16: found 7 bytes at the end, expected a pair of 64-bit ids of "
                    "16 bytes"},
                   {pair + std::string(8, '\xff') + std::string(8, '\0'),
                    ": byte 16: found id 18446744073709551615" + id},
               });
  ExpectFaults(Format::kGraph500Packed,
               {{std::string(13, '\0'),
                 ": byte 12: found 1 byte at the end, expected a packed edge of 12 bytes"}});
  EXPECT_EQ(Parse(Format::kGraph500, "file", std::string(4, '\xff') + std::string(12, '\0'),
                  {.ids = IdRule::kFromZero, .direction = {}})
                .status()
                .message(),
            "file: byte 0: found id 4294967295, expected a vertex from 0 to 4294967294");
  // The high halves of both ids.
  const auto wide = Parse(Format::kGraph500Packed, "file", Text("\1\0\0\0\2\0\0\0\3\0\4\0"));
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_EQ(wide->ids, Ids(std::vector<std::uint64_t>{12884901889, 17179869186}));
}

TEST(FormatFaults, OfAnEdgeListWithCounts) {
  const std::string announced = ", expected 2, as line 1 announces";
  ExpectFaults(
      Format::kEdgeListNm,
      {{"3\n", ":1: found the end of the line, expected a number of edges from 0"},
       {"3 2\n0 1\n", ":2: found the end of the file after edge 1" + announced},
       {"3 2\n0 1\n\n1 2\n0 2\n", ":5: found edge 3" + announced},
       {"3 2\n0 1\n1 3\n", ":3: found '3' as field 2, expected a vertex from 0 to 2"},
       {"3 2\n1 4\n1 3\n", ":2: found '4' as field 2, expected a vertex from 0 to 3"},
       {"0 1\n0 0\n", ":2: found '0' as field 1, expected a vertex, of which there is none"}});
}

TEST(FormatFaults, OfATableWithCommas) {
  const std::string vertex = ", expected a vertex from 0 to 9223372036854775808";
  ExpectFaults(Format::kCsv,
               {{",source,target\n0,5,6\n",
                 ":1: found the columns ',source' and 'target', expected those of both ends of an "
                 "edge first"},
                {"id,source,target\n0,5,6\n",
                 ":1: found the columns 'id' and 'source', expected those of both ends of an edge "
                 "first"},
                {"1.0,2\n2,3\n", ":1: found '1.0' as field 1" + vertex},
                {"a,b\n", ":1: found the end of the file, expected an edge, as '0 1'"},
                {"a,b\n0,x\n", ":2: found 'x' as field 2" + vertex},
                {"0,,1\n", ":1: found ',1' as field 2" + vertex},
                {"a,b\n-1,2\n", ":2: found '-1' as field 1" + vertex},
                {"0,1,2,3,4\n", ":1: found '4' as field 5, expected the end of the line"}});
}

TEST(FormatFaults, OfPace) {
  ExpectFaults(Format::kPace,
               {{"1 2\n", ":1: found '1' as field 1, expected 'p NAME VERTICES EDGES'"},
                {"p tw 3 1\n1 4\n", ":2: found '4' as field 2, expected a vertex from 1 to 3"},
                {"p tw 3 1\n1 2 3\n", ":2: found '3' as field 3, expected the end of the line"},
                {"p tw 3 2\n1 2\n",
                 ":2: found the end of the file after edge 1, expected 2, as line 1 announces"}});
}

TEST(FormatFaults, OfAFlow) {
  ExpectFaults(
      Format::kDimacsMax,
      {{"p max 2 1\nn 1 x\n", ":2: found 'x' as field 3, expected s or t"},
       {"p max 2 1\nn 1 s\nn 2 s\n", ":3: found a second s, expected one"},
       {"p max 2 1\ne 1 2\n", ":2: found 'e' as field 1, expected a line of type c, n or a"}});
}

TEST(FormatFaults, OfPajek) {
  ExpectFaults(
      Format::kPajek,
      {{"", ":1: found an empty file, expected *Vertices NUMBER"},
       {"*Edges\n", ":1: found '*edges' as field 1, expected *Vertices NUMBER"},
       {"*Vertices 2\n*Matrix\n",
        ":2: found '*matrix' as field 1, expected *Edges, *Arcs, *Edgeslist or *Arcslist"},
       {"*Vertices 2\n1 \"a\"\n*Arcs\n1 2\n1 3\n",
        ":5: found '3' as field 2, expected a vertex from 1 to 2"},
       {"*Vertices 2\n1 \"a\"\nfoo\n", ":3: found 'foo' as field 1, expected a vertex from 1 to 2"},
       {"*Vertices 2\n*Edges\n1 2 x\n", ":3: found 'x' as field 3, expected a weight"}});
}

TEST(FormatFaults, OfLigra) {
  const std::string begin = "AdjacencyGraph\n2\n2\n0\n1\n";
  ExpectFaults(
      Format::kLigra,
      {{"0 1\n", ":1: found '0' as field 1, expected AdjacencyGraph or WeightedAdjacencyGraph"},
       {"AdjacencyGraph\n2\n",
        ":2: found the end of the file, expected numbers of vertices and edges"},
       {begin + "1\n", ":6: found the end of the file, expected 2 offsets and 2 neighbors"},
       {begin + "1\n0\n0\n", ":8: found '0' as field 1, expected 2 offsets and 2 neighbors"},
       {begin + "1\n2\n", ":7: found '2' as field 1, expected a vertex from 0 to 1"},
       {begin + "1\nx\n", ":7: found 'x' as field 1, expected a number from 0"},
       {"AdjacencyGraph\n2\n2\n0\n3\n1\n0\n",
        ":4: found '0' as field 1, expected offsets that ascend from 0 to 2"}});
}

TEST(FormatFaults, OfSidesWhoseIdsAreTooLarge) {
  EXPECT_EQ(
      Parse(Format::kEdgeList, "file", "% bip\n1 9223372036854775808\n9223372036854775808 5\n")
          .status()
          .message(),
      "file: ids of the right side follow the left side's 9223372036854775808, and would be "
      "above 9223372036854775808");
}

// A text of more than a megabyte is parsed by several threads, in pieces.
TEST(FormatFaults, OfAPieceNameTheirLine) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "0 1\n";
  const std::string good = text;
  text += "0 x\n" + good;
  const auto parse = [](Format format, const std::string& bytes) {
    return std::string(
        Parse(format, "file", bytes, {.direction = {}, .threads = 4}).status().message());
  };
  EXPECT_EQ(parse(Format::kEdgeList, text),
            "file:300001: found 'x' as field 2, expected a vertex from 0 to 9223372036854775808");
  EXPECT_EQ(parse(Format::kEdgeListNm, "2 299999\n" + good),
            "file:300001: found edge 300000, expected 299999, as line 1 announces");
  EXPECT_EQ(parse(Format::kEdgeListNm, "2 300001\n" + good),
            "file:300001: found the end of the file after edge 300000, expected 300001, as line 1 "
            "announces");
  std::string metis = "300000 150000\n";
  for (int i = 1; i <= 300'000; ++i) metis += std::to_string(i % 2 == 1 ? i + 1 : i - 1) + "\n";
  EXPECT_EQ(Parse(Format::kMetis, "file", metis, {.direction = {}, .threads = 4})->edges.size(),
            150'000u);
  metis.insert(metis.size() - 1, " 300001");
  EXPECT_EQ(parse(Format::kMetis, metis),
            "file:300001: found '300001' as field 2, expected a vertex from 1 to 300000");
}

}  // namespace
}  // namespace graph
