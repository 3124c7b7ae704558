// Small problems that a hostile reader had a wrong answer to, or none.
#include <gtest/gtest.h>

#include <string>

#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/solve/solve.h"

namespace sdpa {
namespace {

Outcome Solved(const Problem& problem) {
  const auto outcome = Solve(problem);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return *outcome;
}

Outcome SolvedText(const std::string& text) {
  const auto problem = Parse(Format::kSparse, "it.dat-s", text);
  EXPECT_TRUE(problem.ok()) << problem.status();
  return Solved(*problem);
}

// Products of these numbers are no doubles, and rows that are not parallel seemed to be.
TEST(HostileInputs, RowsWhoseProductsUnderflowAreNoProof) {
  EXPECT_NE(SolvedText("2\n1\n-3\n1 0\n1 1 1 1 1e-165\n2 1 1 1 1e-165\n1 1 2 2 -1e-165\n"
                       "2 1 2 2 -1.000000001e-165\n2 1 3 3 1e-165\n0 1 3 3 1e-165\n")
                .judgement.status,
            Status::kDualInfeasible);
}

// x = 1e280 is feasible: an error whose inverse is no double is not 0.
TEST(HostileInputs, ATinyErrorIsNoProof) {
  const Outcome outcome = SolvedText("1\n1\n-2\n1\n0 1 2 2 1e-20\n1 1 1 1 1e10\n1 1 2 2 1e-300\n");
  EXPECT_NE(outcome.judgement.status, Status::kPrimalInfeasible);
}

// Without the equality a constraint without elements is left, which asks for 1e-11.
TEST(HostileInputs, AConstraintThatRoundingsContradictIsMet) {
  const Outcome outcome = SolvedText(
      "3\n2\n2 -2\n0.5 -0.50000000001 1\n0 1 1 1 -1\n0 1 1 2 1.0\n0 1 2 2 -1\n1 1 1 1 0.3\n"
      "1 2 1 1 1\n1 2 2 2 -1\n2 1 1 1 -0.30000000000000004\n2 2 1 1 -1\n2 2 2 2 1\n"
      "3 1 1 1 1\n3 1 2 2 1\n");
  EXPECT_EQ(outcome.judgement.status, Status::kOptimal);
}

// x1 + x2 = 3, x1 - x2 = 1 and 2 x1 + x2 = 5 + 1e-8.
TEST(HostileInputs, EqualitiesThatContradictByLessThanTheToleranceAreSolved) {
  const Outcome outcome = SolvedText(
      "2\n2\n2 -6\n1 3\n0 1 1 2 1\n1 1 1 1 1\n2 1 2 2 1\n"
      "1 2 1 1 1\n2 2 1 1 1\n0 2 1 1 3\n1 2 2 2 -1\n2 2 2 2 -1\n0 2 2 2 -3\n"
      "1 2 3 3 1\n2 2 3 3 -1\n0 2 3 3 1\n1 2 4 4 -1\n2 2 4 4 1\n0 2 4 4 -1\n"
      "1 2 5 5 2\n2 2 5 5 1\n0 2 5 5 5.00000001\n1 2 6 6 -2\n2 2 6 6 -1\n0 2 6 6 -5.00000001\n");
  EXPECT_EQ(outcome.judgement.status, Status::kOptimal);
}

// And by more: there is no solution.
TEST(HostileInputs, EqualitiesThatContradictAreInfeasible) {
  const Outcome outcome = SolvedText(
      "2\n1\n-6\n1 3\n"
      "1 1 1 1 1\n2 1 1 1 1\n0 1 1 1 3\n1 1 2 2 -1\n2 1 2 2 -1\n0 1 2 2 -3\n"
      "1 1 3 3 1\n2 1 3 3 -1\n0 1 3 3 1\n1 1 4 4 -1\n2 1 4 4 1\n0 1 4 4 -1\n"
      "1 1 5 5 2\n2 1 5 5 1\n0 1 5 5 5.1\n1 1 6 6 -2\n2 1 6 6 -1\n0 1 6 6 -5.1\n");
  EXPECT_EQ(outcome.judgement.status, Status::kPrimalInfeasible);
  EXPECT_NEAR(outcome.judgement.certificate.dual, 1, 1e-12) << "Y is in the units of a proof";
}

// Without its equalities the objective is smaller by a constant of 17, and so are its errors, which
// were taken for the whole problem's.
TEST(HostileInputs, AConstantObjectiveHidesNoError) {
  const Outcome outcome = SolvedText(
      "2\n"
      "3\n"
      "6 -3 -3\n"
      "11.0 17.0\n"
      "0 1 1 1 -22842.94446972141\n"
      "0 1 2 2 -26106.222251110183\n"
      "0 1 3 3 -16316.388906943865\n"
      "0 1 4 4 -16316.388906943865\n"
      "0 1 4 5 -3263.277781388773\n"
      "0 1 5 5 -6526.555562777546\n"
      "0 1 6 6 -16316.388906943865\n"
      "0 2 1 1 -13053.111125555091\n"
      "0 2 2 2 -3263.277781388773\n"
      "0 2 3 3 -9789.833344166318\n"
      "0 3 1 1 -3263.277781388773\n"
      "0 3 2 2 3263.277781388773\n"
      "0 3 3 3 3263.277781388773\n"
      "1 1 1 6 6526.555562777546\n"
      "1 1 2 2 3263.277781388773\n"
      "1 1 3 3 3263.277781388773\n"
      "1 1 4 4 6526.555562777546\n"
      "1 1 5 5 -3263.277781388773\n"
      "1 2 3 3 -6526.555562777546\n"
      "2 1 2 3 6526.555562777546\n"
      "2 1 3 3 3263.277781388773\n"
      "2 1 4 4 -3263.277781388773\n"
      "2 1 4 5 -9789.833344166318\n"
      "2 1 5 5 3263.277781388773\n"
      "2 2 1 1 9789.833344166318\n"
      "2 3 1 1 -3263.277781388773\n"
      "2 3 2 2 3263.277781388773\n"
      "2 3 3 3 3263.277781388773\n");
  EXPECT_EQ(outcome.judgement.status, Status::kOptimal);
}

// All F_i in a unit that is a millionth or a million times as large.
TEST(HostileInputs, UnitsOfTheMatricesDoNotMatter) {
  for (const std::string text : {"random:blocks=6,m=5", "random:blocks=5+d4,m=6,seed=2"}) {
    for (const double unit : {1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6}) {
      Problem problem = Generate(text)->problem;
      for (SparseMatrix& matrix : problem.matrices) {
        for (BlockElements& block : matrix) {
          for (Element& element : block.elements) element.value *= unit;
        }
      }
      const Outcome outcome = Solved(problem);
      EXPECT_EQ(outcome.judgement.status, Status::kOptimal) << text << ", " << unit;
      EXPECT_LE(outcome.iterations.size(), unit < 1e-3 ? 100u : 20u) << text << ", " << unit;
    }
  }
}

}  // namespace
}  // namespace sdpa
