// The check of a Schur complement's elements sees an element that is wrong.
#include "apps/sdpa/elements/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {
namespace {

// A value: a problem, Y = X^-1 = I and a little more, and B by the paper's loop.
struct Case {
  explicit Case(const std::string& text)
      : problem(Generate(text)->problem), layout(problem.blocks) {
    y.assign(layout.elements(), 0.25);
    for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
      const auto size = static_cast<std::size_t>(problem.blocks[l].size);
      const std::size_t stride = problem.blocks[l].shape == Shape::kDense ? size + 1 : 1;
      for (std::size_t i = 0; i < size; ++i) y[layout.begin[l] + i * stride] = 2;
    }
  }

  std::vector<double> Elements() const {
    const std::size_t m = problem.constraints();
    std::vector<double> b(m * m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        b[i * m + j] = ElementAsWritten(problem, layout, y, y, i, j);
      }
    }
    return b;
  }
  double ErrorOf(const std::vector<double>& b) const {
    return LargestError(problem, layout, y, y, [&](std::size_t i, std::size_t j) {
      return b[i * problem.constraints() + j];
    });
  }

  Problem problem;
  Layout layout;
  std::vector<double> y;
};

// The samples have all of its columns.
TEST(LargestError, SeesWhatIsWrongAndWhatIsNoNumber) {
  for (const char* const text : {"random:blocks=6+d4+2x3,m=8", "control:n=3"}) {
    const Case of(text);
    const std::vector<double> b = of.Elements();
    EXPECT_EQ(of.ErrorOf(b), 0) << text;
    std::vector<double> wrong = b;
    for (double& element : wrong) element *= 1 + 1e-6;
    EXPECT_NEAR(of.ErrorOf(wrong), 1e-6, 1e-8) << text;
    for (double& element : wrong) element = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(of.ErrorOf(wrong))) << text;
    // Of one diagonal element.
    wrong = b;
    wrong[0] += 1e-3 * std::abs(wrong[0]);
    EXPECT_GT(of.ErrorOf(wrong), 1e-10) << text;
  }
}

// Full matrices go by F2, for which 3 times 200 elements by F3 would take a thousand times longer.
TEST(LargestError, EndsSoonWhereMatricesAreFull) {
  const Case of("infeasible:primal,n=80,m=4");
  EXPECT_EQ(of.ErrorOf(of.Elements()), 0);
}

}  // namespace
}  // namespace sdpa
