#include "apps/sdpa/files/solution_formats.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

#include "apps/sdpa/problem/problem.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

// minimize x_1 + 2 x_2; a dense and a diagonal block.
const Problem kProblem = {.blocks = {{Shape::kDense, 2}, {Shape::kDiagonal, 2}},
                          .costs = {1, 2},
                          .matrices = {{}, {{0, {{0, 0, 1}}}}, {{1, {{1, 1, 1}}}}}};

const SolutionValues kSolution = {
    .x = {-1.1, 0}, .slack = {{1, 2, 2, 5}, {3.5, 0}}, .dual = {{4, -1, -1, 0.25}, {0, 1e-300}}};

SolutionValues Read(Format format, const std::string& text) {
  const auto solution = ParseSolution(format, kProblem, "f", text);
  EXPECT_TRUE(solution.ok()) << solution.status();
  return solution.value_or(SolutionValues());
}

std::string ErrorOf(Format format, const std::string& text) {
  const auto solution = ParseSolution(format, kProblem, "f", text);
  EXPECT_FALSE(solution.ok());
  EXPECT_TRUE(absl::IsInvalidArgument(solution.status()));
  return std::string(solution.status().message());
}

// As csdp 6.2.0 writes it: Z, which is X here, is matrix 1.
TEST(CsdpSolution, HasXThenTheUpperTrianglesOfBothMatrices) {
  const std::string text = CsdpSolutionText(kProblem, kSolution);
  EXPECT_EQ(text,
            "-1.1000000000000001e+00 0.0000000000000000e+00 \n"
            "1 1 1 1 1.0000000000000000e+00\n1 1 1 2 2.0000000000000000e+00\n"
            "1 1 2 2 5.0000000000000000e+00\n1 2 1 1 3.5000000000000000e+00\n"
            "2 1 1 1 4.0000000000000000e+00\n2 1 1 2 -1.0000000000000000e+00\n"
            "2 1 2 2 2.5000000000000000e-01\n2 2 2 2 1.0000000000000000e-300\n");
  EXPECT_EQ(FormatOfSolution("f.sol", text), Format::kSparse);
  EXPECT_EQ(Read(Format::kSparse, text), kSolution);
}

// As sdpa 7.3.16 writes it, but for the number of digits.
TEST(SdpaResult, IsWhatReadersOfSdpasBracesFind) {
  const std::string text = SdpaResultText({.phase = SdpaPhase::kOptimal,
                                           .iterations = 12,
                                           .mu = 2e-7,
                                           .primal = 0,
                                           .dual = -0.01,
                                           .primal_error = 1e-14,
                                           .dual_error = 0,
                                           .seconds = 0.25},
                                          kProblem, kSolution);
  EXPECT_EQ(text,
            "phase.value  = pdOPT     \n"
            "   Iteration = 12\n"
            "          mu = +1.9999999999999999e-07\n"
            "relative gap = +1.0000000000000000e-02\n"
            "        gap  = +1.0000000000000000e-02\n"
            "     digits  = +2.0000000000000000e+00\n"
            "objValPrimal = +0.0000000000000000e+00\n"
            "objValDual   = -1.0000000000000000e-02\n"
            "p.feas.error = +1.0000000000000000e-14\n"
            "d.feas.error = +0.0000000000000000e+00\n"
            "total time   = 0.25\n"
            "\n"
            "xVec = \n"
            "{-1.1000000000000001e+00,+0.0000000000000000e+00}\n"
            "xMat = \n"
            "{\n"
            "{ {+1.0000000000000000e+00,+2.0000000000000000e+00 },\n"
            "  {+2.0000000000000000e+00,+5.0000000000000000e+00 }   }\n"
            "{+3.5000000000000000e+00,+0.0000000000000000e+00}\n"
            "}\n"
            "yMat = \n"
            "{\n"
            "{ {+4.0000000000000000e+00,-1.0000000000000000e+00 },\n"
            "  {-1.0000000000000000e+00,+2.5000000000000000e-01 }   }\n"
            "{+0.0000000000000000e+00,+1.0000000000000000e-300}\n"
            "}\n");
  EXPECT_EQ(FormatOfSolution("f.out", text), Format::kDense);
  EXPECT_EQ(Read(Format::kDense, text + "    main loop time = 0.002470\n"), kSolution);
}

TEST(SdpaResult, SaysTheGapAndPhaseInSdpasWords) {
  const auto text = [](SdpaPhase phase, double primal, double dual) {
    return SdpaResultText({.phase = phase, .primal = primal, .dual = dual}, kProblem, kSolution);
  };
  const std::string equal = text(SdpaPhase::kPrimalInfeasibleDualFeasible, 300, 300);
  EXPECT_NE(equal.find("phase.value  = pINF_dFEAS\n"), std::string::npos);
  EXPECT_NE(equal.find("digits  = +1.6"), std::string::npos) << equal;
  const std::string far = text(SdpaPhase::kPrimalUnbounded, -300, 100);
  EXPECT_NE(far.find("phase.value  = pUNBD     \n"), std::string::npos);
  EXPECT_NE(far.find("relative gap = +2.0000000000000000e+00"), std::string::npos);
}

TEST(InitialPoint, IsSparseOrDense) {
  const SolutionValues point = {
      .x = {1, -2}, .slack = {{3, 0.5, 0.5, 4}, {5, 6}}, .dual = {{7, 0, 0, 8}, {9, 0}}};
  EXPECT_EQ(Read(Format::kSparse,
                 "\"a point\"\n{1, -2}\n1 1 1 1 3\n1 1 2 1 0.5\n1 1 2 2 4\n1 2 1 1 5\n1 2 2 2 6\n"
                 "2 1 1 1 7\n2 1 2 2 +8.0\n2 1 1 2 0\n2 2 1 1 9\n"),
            point);
  EXPECT_EQ(
      Read(Format::kDense, "{1, -2}\n{ {{3,.5},{.5,4}} {5,6} }\n{ { {7, 0}, {0, 8} }\n{9, 0} }\n"),
      point);
  EXPECT_EQ(FormatOfSolution("f.ini", ""), Format::kDense);
  EXPECT_EQ(FormatOfSolution("f.ini-s", ""), Format::kSparse);
}

TEST(InitialPoint, NamesWhatIsWrongAndWhere) {
  const auto sparse = [](const std::string& text) { return ErrorOf(Format::kSparse, text); };
  EXPECT_EQ(sparse("1\n"), "f:2: found the end, expected x_2, a finite number");
  EXPECT_EQ(sparse("1 nan\n"), "f:1: found 'nan', expected x_2, a finite number");
  EXPECT_EQ(sparse("1 2\n3 1 1 1 1\n"),
            "f:2: found '3', expected the number of a matrix, a whole number from 1 to 2");
  EXPECT_EQ(sparse("1 2\n1 3 1 1 1\n"),
            "f:2: found '3', expected the number of a block, a whole number from 1 to 2");
  EXPECT_EQ(sparse("1 2\n1 2 1 2 1\n"),
            "f:2: row 1, column 2 is not on the diagonal of block 2, which has no more");
  EXPECT_EQ(sparse("1 2\n1 1 1 2 1\n1 1 2 1 3\n"),
            "f:3: row 1, column 2 of block 1 of matrix 1 was 1 in line 2, and is 3");
  const auto dense = [](const std::string& text) { return ErrorOf(Format::kDense, text); };
  EXPECT_EQ(dense("1 2\n1 0 0 1\n"),
            "f:3: found the end, expected an element of block 2 of X, a finite number");
  EXPECT_EQ(dense("1 2\n1 0 0 1 1 1\n1 2\n3 4\n1 1\n"),
            "f:4: row 2, column 1 of block 1 of Y is 3, its mirror image is 2");
  EXPECT_EQ(dense("1 2\n1 0 0 1 1 1\n1 0 0 1 1 1\n5\n"),
            "f:4: there is more after the last matrix");
  EXPECT_EQ(dense("phase.value = pdOPT\nxVec = \n{1,2}\nyMat = \n"),
            "f:4: found 'yMat', expected the word xMat");
  EXPECT_EQ(dense("xVec\n{1,2}\n"), "f:2: found '1', expected the word =");
}

TEST(Solutions, AreGivenBackToTheLastBitAndWhatIsCutOffIsReadOrRefused) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(300);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const auto value = [&] {
      return random() % 3 == 0 ? 0 : (static_cast<double>(random()) / 1e19 - 0.9) * 1e-7;
    };
    SolutionValues solution = {.x = {value(), value()}, .slack = {}, .dual = {}};
    for (auto* const matrix : {&solution.slack, &solution.dual}) {
      const double mirrored = value();
      *matrix = {{value(), mirrored, mirrored, value()}, {value(), value()}};
    }
    for (const std::string& text :
         {CsdpSolutionText(kProblem, solution), SdpaResultText({}, kProblem, solution)}) {
      const Format format = FormatOfSolution("f", text);
      ASSERT_EQ(Read(format, text), solution) << "seed " << seed;
      std::string changed = text.substr(0, random() % text.size());
      if (!changed.empty()) changed[random() % changed.size()] = static_cast<char>(random() % 256);
      const auto parsed = ParseSolution(format, kProblem, "f", changed);
      if (!parsed.ok()) {
        ASSERT_TRUE(parsed.status().message().substr(0, 2) == "f:") << parsed.status();
      }
    }
  }
}

}  // namespace
}  // namespace sdpa
