#include "apps/sdpa/certify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/sdpa/problem.h"

namespace sdpa {
namespace {

// minimize x subject to x I - diag(1, 2) >= 0, in a dense and in a diagonal block: x = 2.
const Problem kProblem = {.blocks = {{Shape::kDense, 2}, {Shape::kDiagonal, 1}},
                          .costs = {1},
                          .matrices = {{{0, {{0, 0, 1}, {1, 1, 2}}}, {1, {{0, 0, 1}}}},
                                       {{0, {{0, 0, 1}, {1, 1, 1}}}, {1, {{0, 0, 1}}}}}};

struct Solution {
  double x = 2;
  std::vector<double> slack = {1, 0, 0, 0}, slack_diagonal = {1};
  std::vector<double> dual = {0, 0, 0, 1}, dual_diagonal = {0};

  Certificate certificate() const {
    return Certify(kProblem,
                   {.x = {x}, .slack = {slack, slack_diagonal}, .dual = {dual, dual_diagonal}});
  }
};

TEST(Certify, ASolutionHasNoErrors) {
  const Certificate certificate = Solution().certificate();
  EXPECT_EQ(certificate.primal, 2);
  EXPECT_EQ(certificate.dual, 2);
  EXPECT_LT(certificate.largest_error(), 1e-17) << "the zero eigenvalue has no Cholesky factor";
}

// By the sizes 1 + max|c| = 2 and 1 + max|F_0| = 3.
TEST(Certify, EachErrorIsSeenForItself) {
  Solution wrong;
  wrong.dual[3] = 0.5;
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[0], 0.5 / 2);
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[4], (2.0 - 1) / (1 + 2 + 1));
  wrong = Solution();
  wrong.dual_diagonal[0] = -0.5;
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[1], 0.5 / 2);
  wrong = Solution();
  wrong.slack[1] = wrong.slack[2] = 0.25;
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[2], std::sqrt(2 * 0.0625) / 3);
  EXPECT_GT(wrong.certificate().errors[3], 0.059 / 3) << "the eigenvalue (1 - sqrt(1.25)) / 2";
  EXPECT_LT(wrong.certificate().errors[3], 0.119 / 3) << "the shifts double";
  wrong = Solution();
  wrong.dual = {1, 0, 0, 0};
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[4], (2.0 - 1) / (1 + 2 + 1));
  EXPECT_DOUBLE_EQ(wrong.certificate().errors[5], 1.0 / (1 + 2 + 1));
  wrong.x = 1;
  EXPECT_DOUBLE_EQ(wrong.certificate().primal, 1);
}

}  // namespace
}  // namespace sdpa
