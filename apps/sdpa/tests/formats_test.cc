#include "apps/sdpa/files/formats.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "apps/sdpa/problem/problem.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

// Example 1 of SDPA's manual.
const Problem kExample = {.blocks = {{Shape::kDense, 2}},
                          .costs = {48, -8, 20},
                          .matrices = {{{0, {{0, 0, -11}, {1, 1, 23}}}},
                                       {{0, {{0, 0, 10}, {0, 1, 4}}}},
                                       {{0, {{1, 1, -8}}}},
                                       {{0, {{0, 1, -8}, {1, 1, -2}}}}}};

const std::string kSparseHeader = "3\n1\n2\n48 -8 20\n";
const std::string kSparseElements =
    "0 1 1 1 -11\n0 1 2 2 23\n1 1 1 1 10\n1 1 1 2 4\n2 1 2 2 -8\n3 1 1 2 -8\n3 1 2 2 -2\n";

Problem Read(Format format, const std::string& text) {
  const auto problem = Parse(format, "f", text);
  EXPECT_TRUE(problem.ok()) << problem.status();
  return problem.value_or(Problem());
}

std::string ErrorOf(Format format, const std::string& text) {
  const auto problem = Parse(format, "f", text);
  EXPECT_FALSE(problem.ok());
  EXPECT_TRUE(absl::IsInvalidArgument(problem.status()));
  return std::string(problem.status().message());
}

TEST(SparseFormat, IsReadAsInTheManual) {
  EXPECT_EQ(Read(Format::kSparse,
                 "\"Example 1: mDim = 3, nBLOCK = 1, {2}\"\n* a remark\n   3  =  mDIM\n   1  =  "
                 "nBLOCK\n   2  = bLOCKsTRUCT\n{48, -8, 20}\n" +
                     kSparseElements),
            kExample);
}

TEST(SparseFormat, TakesCommasLinesSignsAndOrdersAsTheyCome) {
  EXPECT_EQ(Read(Format::kSparse,
                 "3\r\n1 (2)\r\n{+48.0,\n-8,2e1} 3,1,2,2,-2 3 1 1 2 -8\t2 1 2 2 -8\r\n\r\n"
                 "1 1 2 1 4\n1 1 1 1 10\n0 1 2 2 23\n+0 1 1 1 -11.0"),
            kExample)
      << "an element below the diagonal is its mirror image";
  EXPECT_EQ(Read(Format::kSparse, kSparseHeader + kSparseElements + "1 1 2 1 4\n2 1 1 1 0\n"),
            kExample)
      << "an element given again, and one that is zero";
}

// What SDPA and CSDP read in these files, or one of them: SDPA takes a digit in a remark as the
// next number, except after m, and CSDP takes all costs from one line.
TEST(SparseFormat, HeadersHaveRemarks) {
  for (const std::string header :
       {"3 = mDIM of 2 blocks\n1 = nBLOCK\n2\n48 -8 20\n",
        "3 = mDIM -- constraints\n1\n2\n48 -8 20\n", "3\n1 = nBLOCK (1 SDP block)\n2\n48 -8 20\n",
        "3 1 2\n1\n2\n48 -8 20\n", "3=mDIM\n1=nBLOCK\n2=bLOCKsTRUCT\n{48, -8, 20}=cVec\n",
        "3\n1\n2 = size of 1 block\n{48, -8, 20} = cVec of 3\n",
        "3\n1\n2 -- rows\n48 -8 20 - costs, 3 of them\n", "3\n1\n(2) {48 and -8,\nthen 20}\n",
        "\xef\xbb\xbf"
        "3\n1\n2\n48 -8 20\n",
        "\xef\xbb\xbf\"a title\n3\n1\n2\n48 -8 20\n"}) {
    EXPECT_EQ(Read(Format::kSparse, header + kSparseElements), kExample) << header;
  }
  EXPECT_EQ(Read(Format::kSparse, "3\n1\n2\n48 -8 20 " + kSparseElements), kExample)
      << "elements in the line of the costs";
  EXPECT_EQ(ErrorOf(Format::kSparse, "3\n1\nx2\n48 -8 20\n" + kSparseElements),
            "f:3: found 'x2', expected the size of block 1, a whole number from -10000000 to "
            "100000");
  EXPECT_EQ(ErrorOf(Format::kSparse, "3\n1\n2\n48 c2=-8 20\n" + kSparseElements),
            "f:4: found 'c2=-8', expected c_2, a finite number");
}

// MathOptInterface and SCIP-SDP end a file so.
TEST(SparseFormat, LinesThatBeginWithAStarAreRemarksAnywhere) {
  const std::string integers = kSparseHeader + kSparseElements + "*INTEGER\n*1\n*3\n";
  EXPECT_EQ(Read(Format::kSparse, integers), kExample);
  EXPECT_TRUE(HasIntegers(integers));
  EXPECT_FALSE(HasIntegers(kSparseHeader + kSparseElements + "* no INTEGER\n"));
  EXPECT_EQ(Read(Format::kSparse, "3\n* 7 remarks\n1\n\"more\n2\n*5\n48 -8 20\n" +
                                      ("* F_0\n" + kSparseElements) + "  * the end of 5\n"),
            kExample);
  EXPECT_EQ(ErrorOf(Format::kSparse, kSparseHeader + "0 1 1 *\n"),
            "f:5: found '*', expected a column, a whole number from 1 to 2");
}

TEST(SparseFormat, CountsMayBeWrittenAsFractions) {
  EXPECT_EQ(Read(Format::kSparse, "3.0\n1.\n2e0\n48 -8 20\n" + kSparseElements), kExample);
}

TEST(SparseFormat, NumbersTooSmallForADoubleAreZeroAndAnEmptySignIsRefused) {
  EXPECT_EQ(Read(Format::kSparse, "3\n1\n2\n48 -8 20\n" + kSparseElements + "1 1 2 2 -1e-400\n"),
            kExample);
  EXPECT_EQ(ErrorOf(Format::kSparse, "1\n1\n2\n+-5\n"),
            "f:4: found '+-5', expected c_1, a finite number");
  EXPECT_EQ(ErrorOf(Format::kSparse, "1\n1\n+-2\n5\n"),
            "f:3: found '+-2', expected the size of block 1, a whole number from -10000000 to "
            "100000");
}

TEST(SparseFormat, HasDiagonalBlocks) {
  const Problem problem =
      Read(Format::kSparse, "1\n3\n-2 1 2\n5\n1 1 2 2 7\n1 2 1 1 8\n1 3 1 2 9\n");
  EXPECT_EQ(problem.blocks,
            (std::vector<Block>{{Shape::kDiagonal, 2}, {Shape::kDiagonal, 1}, {Shape::kDense, 2}}));
  EXPECT_EQ(problem.matrices[1],
            (SparseMatrix{{0, {{1, 1, 7}}}, {1, {{0, 0, 8}}}, {2, {{0, 1, 9}}}}));
}

TEST(SparseFormat, NamesWhatIsWrongAndWhere) {
  const auto error = [](const std::string& text) { return ErrorOf(Format::kSparse, text); };
  const auto after = [&](const std::string& line) { return error(kSparseHeader + line); };
  EXPECT_EQ(error(""),
            "f:1: found the end, expected the number of constraints, a whole number from "
            "1 to 10000000");
  EXPECT_EQ(error("0\n"),
            "f:1: found '0', expected the number of constraints, a whole number from "
            "1 to 10000000");
  EXPECT_EQ(error("3\n1\n0\n"), "f:3: block 1 has no rows");
  EXPECT_EQ(
      error("3\n1\n2.5\n"),
      "f:3: found '2.5', expected the size of block 1, a whole number from -10000000 to 100000");
  EXPECT_EQ(error("3\n1\n2\n48 -8\n"), "f:5: found the end, expected c_3, a finite number");
  EXPECT_EQ(error("1\n1\n2\n1e999\n"), "f:4: found '1e999', expected c_1, a finite number");
  EXPECT_EQ(after("4 1 1 1 1\n"),
            "f:5: found '4', expected the number of a matrix, a whole number from 0 to 3");
  EXPECT_EQ(after("1 2 1 1 1\n"),
            "f:5: found '2', expected the number of a block, a whole number from 1 to 1");
  EXPECT_EQ(after("1 1 3 1 1\n"), "f:5: found '3', expected a row, a whole number from 1 to 2");
  EXPECT_EQ(after("1 1 1 0 1\n"), "f:5: found '0', expected a column, a whole number from 1 to 2");
  EXPECT_EQ(after("\n1 1 x 1 1\n"), "f:6: found 'x', expected a row, a whole number from 1 to 2");
  EXPECT_EQ(after("1 1 1 1 1.0D+1\n"),
            "f:5: found '1.0D+1', expected the value of an element, a finite number");
  EXPECT_EQ(after("1 1 1 1 nan\n"),
            "f:5: found 'nan', expected the value of an element, a finite number");
  EXPECT_EQ(after("1 1 1\n"), "f:6: found the end, expected a column, a whole number from 1 to 2");
  EXPECT_EQ(after("1 1 1 2 4\n1 1 2 1 5\n"),
            "f:6: row 1, column 2 of block 1 of matrix 1 was 4 in line 5, and is 5");
  EXPECT_EQ(error("1\n1\n-2\n1\n1 1 1 2 5\n"),
            "f:5: row 1, column 2 is not on the diagonal of block 1, which has no more");
}

TEST(DenseFormat, IsReadAsInTheManual) {
  EXPECT_EQ(Read(Format::kDense,
                 "\"Example 1\"\n3 = mDIM\n1 = nBLOCK\n2 = bLOCKsTRUCT\n{48, -8, 20}\n"
                 "{ {-11, 0}, { 0, 23} }\n{ {10, 4}, { 4, 0} }\n{ { 0, 0}, { 0, -8} }\n"
                 "{ { 0, -8}, {-8, -2} }\n"),
            kExample);
}

TEST(DenseFormat, NamesWhatIsWrongAndWhere) {
  const auto after = [](const std::string& text) {
    return ErrorOf(Format::kDense, "1\n2\n2 -2\n1\n0 0\n0 0\n0 0\n" + text);
  };
  EXPECT_EQ(after("1 2\n3 4\n5 6\n"),
            "f:9: row 2, column 1 of block 1 of matrix 1 is 3, its mirror image is 2");
  EXPECT_EQ(after("1 2\n2 4\n5\n"),
            "f:11: found the end, expected an element of block 2 of matrix 1, a finite number");
  EXPECT_EQ(after("1 2\n2 y\n"),
            "f:9: found 'y', expected an element of block 1 of matrix 1, a finite number");
  EXPECT_EQ(after("1 2\n2 4\n5 6\n7\n"), "f:11: there is more after the last matrix");
}

TEST(DenseFormat, HasANumberForEachElementOfEachMatrix) {
  EXPECT_EQ(NumbersOfDenseText(kExample), 4 * 4);
  EXPECT_EQ(NumbersOfDenseText({.blocks = {{Shape::kDense, 100'000}, {Shape::kDiagonal, 7}},
                                .costs = {1},
                                .matrices = std::vector<SparseMatrix>(2)}),
            2 * (1e10 + 7));
}

TEST(Formats, AreKnownByTheFilesName) {
  EXPECT_EQ(FormatOf("theta.dat"), Format::kDense);
  EXPECT_EQ(FormatOf("theta.dat-s"), Format::kSparse);
}

Problem RandomProblem(std::mt19937_64& random) {
  Problem problem;
  for (std::uint64_t i = 1 + random() % 3; i > 0; --i) {
    const int size = 1 + static_cast<int>(random() % 4);
    problem.blocks.push_back(
        {size > 1 && random() % 2 == 0 ? Shape::kDense : Shape::kDiagonal, size});
  }
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::uint64_t i = 1 + random() % 4; i > 0; --i) problem.costs.push_back(value(random));
  problem.matrices.resize(problem.constraints() + 1);
  for (SparseMatrix& matrix : problem.matrices) {
    for (std::size_t block = 0; block < problem.blocks.size(); ++block) {
      const Block& of = problem.blocks[block];
      std::set<std::pair<int, int>> places;
      for (std::uint64_t i = random() % 5; i > 0; --i) {
        const int row = static_cast<int>(random() % static_cast<std::uint64_t>(of.size));
        const int rest = of.shape == Shape::kDense ? of.size - row : 1;
        places.insert({row, row + static_cast<int>(random() % static_cast<std::uint64_t>(rest))});
      }
      if (places.empty()) continue;
      matrix.push_back({static_cast<int>(block), {}});
      for (const auto& [row, column] : places) {
        matrix.back().elements.push_back({row, column, value(random) * 1e-7});
      }
    }
  }
  return problem;
}

TEST(Formats, GiveRandomProblemsBackToTheLastBitAndRefuseOrReadWhatIsCutOff) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(300);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const Problem problem = RandomProblem(random);
    for (const Format format : {Format::kSparse, Format::kDense}) {
      const std::string text = ToText(format, problem);
      ASSERT_EQ(Read(format, text), problem) << "seed " << seed;
      // Whatever the bytes are, the answer is a problem or a sentence.
      std::string changed = text.substr(0, random() % text.size());
      if (!changed.empty()) changed[random() % changed.size()] = static_cast<char>(random() % 256);
      const auto parsed = Parse(format, "f", changed);
      if (!parsed.ok()) {
        ASSERT_TRUE(parsed.status().message().substr(0, 2) == "f:") << parsed.status();
      }
    }
  }
}

}  // namespace
}  // namespace sdpa
