// What each parser says about a file that is not of its format.
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
  const std::string vertex = ", expected a vertex from 0 to 4294967294";
  ExpectFaults(Format::kEdgeList,
               {
                   {"", ":1: found an empty file, expected an edge, as '0 1'"},
                   {"\n# c\n", ":2: found the end of the file, expected an edge, as '0 1'"},
                   {"0 1\n-1 2\n", ":2: found '-1'" + vertex},
                   {"0 4294967295\n", ":1: found '4294967295'" + vertex},
                   {"0 99999999999999999999999\n", ":1: found '99999999999999999999999'" + vertex},
                   {"0 1\r\n\r\n0\r\n", ":3: found the end of the line" + vertex},
                   {"0 1.0\n", ":1: found '1.0'" + vertex},
                   {"0,1\n", ":1: found '0,1'" + vertex},
                   {"+0 1\n", ":1: found '+0'" + vertex},
                   {"0x1 1\n", ":1: found '0x1'" + vertex},
                   {Text("0 1\n1\0 2\n"), ":2: found '1\\x00'" + vertex},
                   {Text("0 \0001\n"), ":1: found '\\x001'" + vertex},
                   {"0 1\r2 3\r", ":1: found '1\\x0d2'" + vertex},
                   {"\xef\xbb\xbf"
                    "0 1\n",
                    ":1: found '\\xef\\xbb\\xbf0'" + vertex},
                   {"0 1 heavy\n", ":1: found 'heavy', expected a weight"},
                   {"0 1 1 late\n", ":1: found 'late', expected a time"},
                   {"0 1 1 1 1\n", ":1: found '1', expected the end of the line"},
                   {std::string(50, 'x'), ":1: found '" + std::string(40, 'x') + "...'" + vertex},
               });
  EXPECT_EQ(Parse(Format::kEdgeList, "file", "0 1", {.first_id = FirstId::kOne}).status().message(),
            "file:1: found '0', expected a vertex from 1 to 4294967295");
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
          {"3 3 1\n", ":1: found '3'" + banner},
          {"%%MatrixMarket matrix\n", ":1: found the end of the line" + banner},
          {"%%MatrixMarket matrix array real general\n", ":1: found 'array'" + banner},
          {"%%MatrixMarket matrix coordinate quaternion general\n",
           ":1: found 'quaternion', expected pattern, real, integer or complex"},
          {"%%MatrixMarket matrix coordinate real diagonal\n",
           ":1: found 'diagonal', expected general, symmetric, skew-symmetric or hermitian"},
          {"%%MatrixMarket matrix coordinate real general or so\n",
           ":1: found 'or', expected the end of the line"},
          {general, ":1: found the end of the file, expected rows, columns and entries"},
          {general + "3 3\n", ":2: found the end of the line, expected a number of entries from 0"},
          {general + "3 3 1 1\n", ":2: found '1', expected the end of the line"},
          {general + "4294967296 1 1\n",
           ":2: found '4294967296', expected a number of rows from 0 to 4294967295"},
          {general + "3 4 1\n", ":2: found 3 rows and 4 columns, expected a square matrix"},
          {general + "3 3 1\n0 1\n", ":3: found '0', expected a vertex from 1 to 3"},
          {general + "3 3 1\n1 4\n", ":3: found '4', expected a vertex from 1 to 3"},
          {general + "3 3 1\n1 2 5\n", ":3: found '5', expected the end of the line"},
          {general + "% c\n3 3 2\n1 2\n",
           ":4: found the end of the file after entry 1, expected 2, as line 3 announces"},
          {general + "3 3 1\n1 2\n\n2 1\n", ":5: found entry 2, expected 1, as line 2 announces"},
          {symmetric + "3 3 1\n2 1\n", ":3: found the end of the line, expected a number"},
          {symmetric + "3 3 1\n2 1 x\n", ":3: found 'x', expected a number"},
          {symmetric + "3 3 1\n1 2 1\n",
           ":3: found an entry above the diagonal, expected only those below in this symmetry"},
          {skew + "3 3 1\n2 1 1.5\n", ":3: found '1.5', expected an integer"},
          {skew + "3 3 1\n1 1 1\n",
           ":3: found an entry on the diagonal, expected only those below in this symmetry"},
      });
}

TEST(FormatFaults, OfDimacs) {
  const std::string problem = ", expected 'p sp VERTICES ARCS'";
  ExpectFaults(
      Format::kDimacsGr,
      {
          {"", ":1: found an empty file" + problem},
          {"c only\n", ":1: found the end of the file" + problem},
          {"a 1 2 3\n", ":1: found 'a'" + problem},
          {"p edge 2 1\n", ":1: found 'edge'" + problem},
          {"p sp 2\n", ":1: found the end of the line, expected a number of edges from 0"},
          {"p sp 4294967296 0\n",
           ":1: found '4294967296', expected a number of vertices from 0 to 4294967295"},
          {"p sp 2 1 0\n", ":1: found '0', expected the end of the line"},
          {"p sp 2 1\np sp 2 1\n", ":2: found 'p', expected a line of type c or a"},
          {"p sp 2 1\ne 1 2\n", ":2: found 'e', expected a line of type c or a"},
          {"p sp 2 1\na 0 1 1\n", ":2: found '0', expected a vertex from 1 to 2"},
          {"p sp 4294967295 18446744073709551615\n",
           ":1: found the end of the file after edge 0, expected 18446744073709551615, as line 1 "
           "announces"},
          {"p sp 0 1\na 1 1 1\n", ":2: found '1', expected a vertex, of which there is none"},
          {"p sp 2 1\na 1 3 1\n", ":2: found '3', expected a vertex from 1 to 2"},
          {"p sp 2 1\na 1 2\n", ":2: found the end of the line, expected a weight"},
          {"p sp 2 1\na 1 2 1.5\n", ":2: found '1.5', expected a weight"},
          {"p sp 2 1\na 1 2 1 1\n", ":2: found '1', expected the end of the line"},
          {"p sp 2 1\na 1 2 1\na 1 2 1\n", ":3: found edge 2, expected 1, as line 1 announces"},
          {"c\np sp 2 2\na 1 2 1\n",
           ":3: found the end of the file after edge 1, expected 2, as line 2 announces"},
      });
  ExpectFaults(Format::kDimacsCol,
               {
                   {"p sp 2 1\n", ":1: found 'sp', expected 'p edge VERTICES EDGES'"},
                   {"p edge 2 1\ne 1 2 3\n", ":2: found '3', expected the end of the line"},
                   {"p edge 2 1\nl 3\n", ":2: found 'l', expected a line of type c or e"},
                   {"p edge 2 1\nedge 1 2\n", ":2: found 'edge', expected a line of type c or e"},
               });
}

TEST(FormatFaults, OfIcgca) {
  const std::string begin = "p edge 2 1\ne 1 2\n";
  ExpectFaults(
      Format::kIcgca,
      {
          {begin + "x\n", ":3: found 'x', expected a line of type c, e, l or t"},
          {begin + "l\n", ":3: found the end of the line, expected a number of edges from 0"},
          {begin + "l -1\n", ":3: found '-1', expected a number of edges from 0"},
          {begin + "l 1\nl 2\n", ":4: found a second length bound, expected one"},
          {begin + "t 1\n", ":3: found the end of the line, expected a vertex from 1 to 2"},
          {begin + "t 1 3\n", ":3: found '3', expected a vertex from 1 to 2"},
          {begin + "t 1 2 1\n", ":3: found '1', expected the end of the line"},
          {"t 1 2\n" + begin, ":1: found 't', expected 'p edge VERTICES EDGES'"},
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
          {"2 1 2\n", ":1: found '2', expected up to three digits 0 or 1"},
          {"2 1 0001\n", ":1: found '0001', expected up to three digits 0 or 1"},
          {"2 1 10 0\n", ":1: found '0', expected a number of weights of a vertex from 1"},
          {"2 1 10 1 1\n", ":1: found '1', expected the end of the line"},
          {"2 1\n0\n1\n", ":2: found '0', expected a vertex from 1 to 2"},
          {"2 1\n2\n3\n", ":3: found '3', expected a vertex from 1 to 2"},
          {"2 1\n1\n1\n", ":2: found vertex 1 as its own neighbor, expected another vertex"},
          {"3 1\n2\n",
           ":2: found the end of the file after 1, expected lines of 3 vertices, as "
           "line 1 announces"},
          {"2 1\n2\n1\n\n2\n",
           ":5: found '2', expected the end of the file after lines of 2 "
           "vertices, as line 1 announces"},
          {"2 1 1\n2\n1 1\n", ":2: found the end of the line, expected a weight of the edge"},
          {"2 1 10\n\n7 1\n", ":2: found the end of the line, expected a weight of the vertex"},
          {"3 2\n2 3\n1\n\n", ":2: found neighbor 3 of vertex 1, expected it to list 1 as often"},
          {"3 1\n\n1\n\n", ":3: found neighbor 1 of vertex 2, expected it to list 2 as often"},
          {"% c\n2 2\n2\n1\n", ":4: found 1 edges, expected 2 edges, as line 2 announces"},
      });
}

TEST(FormatFaults, OfRudy) {
  ExpectFaults(
      Format::kRudy,
      {
          {"", ":1: found an empty file, expected a line with the numbers of vertices and edges"},
          {"3\n", ":1: found the end of the line, expected a number of edges from 0"},
          {"4294967296 0\n",
           ":1: found '4294967296', expected a number of vertices from 0 to 4294967295"},
          {"3 2 1\n", ":1: found '1', expected the end of the line"},
          {"3 1\n0 1 1\n", ":2: found '0', expected a vertex from 1 to 3"},
          {"3 1\n1 4 1\n", ":2: found '4', expected a vertex from 1 to 3"},
          {"3 1\n1\n", ":2: found the end of the line, expected a vertex from 1 to 3"},
          {"3 1\n1 2\n", ":2: found the end of the line, expected a weight"},
          {"3 1\n1 2 heavy\n", ":2: found 'heavy', expected a weight"},
          {"3 1\n1 2 1 1\n", ":2: found '1', expected the end of the line"},
          {"3 1\n1 2 1\n\n2 3 1\n", ":4: found edge 2, expected 1, as line 1 announces"},
          {"# c\n3 2\n1 2 1\n",
           ":3: found the end of the file after edge 1, expected 2, as line 2 announces"},
      });
}

TEST(FormatFaults, OfGraph500) {
  const std::string id = ", expected a vertex from 0 to 4294967294";
  const std::string pair(16, '\0');
  ExpectFaults(
      Format::kGraph500,
      {
          {"", ": byte 0: found an empty file, expected a pair of 64-bit ids"},
          {pair + "1234567",
           ": byte 16: found 7 bytes at the end, expected a pair of 64-bit ids of "
           "16 bytes"},
          {pair + std::string(8, '\xff') + std::string(8, '\0'),
           ": byte 16: found id 18446744073709551615" + id},
          {pair + std::string(8, '\0') + Text("\0\0\0\0\1\0\0\0"),
           ": byte 16: found id 4294967296" + id},
          {std::string(4, '\xff') + std::string(12, '\0'), ": byte 0: found id 4294967295" + id},
      });
  ExpectFaults(Format::kGraph500Packed,
               {
                   {std::string(13, '\0'),
                    ": byte 12: found 1 bytes at the end, expected a packed edge of 12 bytes"},
                   {Text("\1\0\0\0\2\0\0\0\3\0\0\0"), ": byte 0: found id 12884901889" + id},
                   {Text("\1\0\0\0\2\0\0\0\0\0\3\0"), ": byte 0: found id 12884901890" + id},
               });
}

}  // namespace
}  // namespace graph
