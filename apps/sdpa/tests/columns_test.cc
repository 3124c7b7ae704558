// Against the traces as they are written, by n³ products in long double.
#include "apps/sdpa/elements/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/sdpa/elements/order.h"
#include "apps/sdpa/elements/terms.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/plain.h"
#include "apps/sdpa/tests/random_matrices.h"
#include "lwt/pool.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

using Long = long double;
using LongMatrix = std::vector<Long>;

Long LongOf(double number) { return number; }
Long LongOf(DoubleDouble number) { return static_cast<Long>(number.high()) + number.low(); }

LongMatrix Times(const LongMatrix& a, const LongMatrix& b, std::size_t n) {
  LongMatrix product(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      if (a[i * n + k] == 0) continue;
      for (std::size_t j = 0; j < n; ++j) product[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return product;
}

// All elements of a block; diagonal blocks as dense ones.
LongMatrix DenseOf(const SparseMatrix& matrix, std::size_t block, std::size_t n) {
  LongMatrix dense(n * n, 0);
  for (const auto& [number, elements] : matrix) {
    if (static_cast<std::size_t>(number) != block) continue;
    for (const auto [row, column, value] : elements) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
      dense[i * n + j] = dense[j * n + i] = value;
    }
  }
  return dense;
}
template <typename Real>
LongMatrix DenseOf(std::span<const Real> elements, Shape shape, std::size_t n) {
  LongMatrix dense(n * n, 0);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    dense[shape == Shape::kDense ? k : k * n + k] = LongOf(elements[k]);
  }
  return dense;
}

// A problem, Y, X^-1, and tr(F_i Y F_j X^-1), m x m.
template <typename Real>
struct Case {
  explicit Case(Problem of, std::mt19937_64& random)
      : problem(Reordered(of, FullestFirst(of))),
        layout(std::make_shared<const Layout>(problem.blocks)),
        y(RandomPositive<Real>(random, *layout)),
        inverse(RandomPositive<Real>(random, *layout)),
        columns(problem, layout,
                std::is_same_v<Real, double> ? Rounding::kLastBits : Rounding::kNone) {
    const std::size_t m = size();
    traces.assign(m * m, 0);
    for (std::size_t l = 0; l < problem.blocks.size(); ++l) {
      const auto n = static_cast<std::size_t>(problem.blocks[l].size);
      const auto part = [&](const std::vector<Real>& all) {
        return DenseOf(std::span<const Real>(all).subspan(layout->begin[l],
                                                          layout->begin[l + 1] - layout->begin[l]),
                       problem.blocks[l].shape, n);
      };
      const LongMatrix y_of = part(y), inverse_of = part(inverse);
      std::vector<LongMatrix> f;
      for (std::size_t i = 1; i <= m; ++i) f.push_back(DenseOf(problem.matrices[i], l, n));
      for (std::size_t j = 0; j < m; ++j) {
        const LongMatrix u = Times(Times(y_of, f[j], n), inverse_of, n);
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) traces[i * m + j] += f[i][a * n + b] * u[b * n + a];
          }
        }
      }
    }
  }

  std::size_t size() const { return problem.constraints(); }

  // B_ij for i >= j, else 0; by whole columns.
  std::vector<Real> Sums() const {
    const std::size_t m = size();
    std::vector<Real> all(m * m, Real(0)), column(m);
    ColumnScratch<Real> scratch;
    for (std::size_t j = 0; j < m; ++j) {
      std::fill(column.begin(), column.end(), Real(0));
      columns.Add(j, 0, m, std::span<const Real>(y), std::span<const Real>(inverse), scratch,
                  column.data());
      for (std::size_t i = 0; i < m; ++i) all[i * m + j] = column[i];
    }
    return all;
  }

  // The largest error of the lower triangle, over sqrt(B_ii B_jj).
  template <typename Number>
  double LargestError(const std::vector<Number>& found) const {
    const std::size_t m = size();
    double largest = 0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double size =
            static_cast<double>(std::sqrt(std::abs(traces[i * m + i] * traces[j * m + j])));
        const auto difference =
            static_cast<double>(std::abs(LongOf(found[i * m + j]) - traces[i * m + j]));
        const double error = difference == 0 ? 0 : difference / size;
        if (!(error <= largest)) largest = error;
      }
    }
    return largest;
  }

  Problem problem;
  std::shared_ptr<const Layout> layout;
  std::vector<Real> y, inverse;
  Columns columns;
  LongMatrix traces;
};

template <typename Real>
void ExpectTheTraces(const Problem& problem, std::mt19937_64& random, double error) {
  const Case<Real> one(problem, random);
  const std::size_t m = one.size();
  const std::vector<Real> sums = one.Sums();
  EXPECT_LT(one.LargestError(sums), error);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      EXPECT_EQ(sums[i * m + j], Real(0)) << "above the diagonal nothing is added";
    }
    std::set<std::size_t> rows = {j};
    one.columns.ForEachRow(j, [&](std::size_t i) {
      EXPECT_GT(i, j);
      EXPECT_LT(i, m);
      rows.insert(i);
    });
    for (std::size_t i = j; i < m; ++i) {
      EXPECT_TRUE(rows.contains(i) || one.traces[i * m + j] == 0) << i << " " << j;
    }
  }
  // By ranges, of which some are above the diagonal, and added to what is there.
  ColumnScratch<Real> scratch;
  for (std::size_t j = 0; j < m; ++j) {
    const std::size_t begin = random() % (m + 1), end = begin + random() % (m + 1 - begin);
    std::vector<Real> part(end - begin + 1, Real(0));
    one.columns.Add(j, begin, end, std::span<const Real>(one.y), std::span<const Real>(one.inverse),
                    scratch, part.data());
    for (std::size_t i = begin; i < end; ++i) {
      EXPECT_EQ(std::memcmp(&part[i - begin], &sums[i * m + j], sizeof(Real)), 0)
          << "column " << j << " from " << begin << " to " << end << ", row " << i;
    }
    EXPECT_EQ(part.back(), Real(0));
  }
}

void ExpectWhatFigure14Computes(const Problem& problem, std::mt19937_64& random) {
  const Case<double> one(problem, random);
  std::vector<double> b(one.size() * one.size());
  auto pool = lwt::Pool::Create({.workers = 2});
  ASSERT_TRUE(pool.ok());
  (*pool)->Run([&] { PlainSchur(one.problem, *one.layout, one.y, one.inverse, b); });
  EXPECT_LT(one.LargestError(b), 1e-10);
}

void ExpectAll(const Problem& problem, std::mt19937_64& random) {
  ExpectTheTraces<double>(problem, random, 1e-10);
  ExpectTheTraces<DoubleDouble>(problem, random, 1e-10);
  ExpectWhatFigure14Computes(problem, random);
}

TEST(Columns, AreTheTracesOfMatricesOfAnyShapesInAnyBlocks) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(40);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Block> blocks;
    for (std::uint64_t l = 1 + random() % 4; l > 0; --l) {
      blocks.push_back({random() % 3 == 0 ? Shape::kDiagonal : Shape::kDense,
                        1 + static_cast<int>(random() % 12)});
    }
    ExpectAll(RandomMatrices(random, blocks, 1 + random() % 20), random);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Columns, AreTheTracesOfMadeProblems) {
  std::mt19937_64 random(1);
  for (const std::string text :
       {"random:blocks=6+d4+2x3+1,m=8,empty=1", "random:blocks=d7,m=3",
        "random:blocks=7,m=15,kind=rank-one,elements=7", "random:blocks=3x6+d2,m=10,touched=2",
        "random:blocks=12,m=50,elements=100", "theta:cycle,n=9", "max-cut:torus,n=12,columns=4",
        "control:n=3", "qap:n=3", "truss:rows=2,columns=3,loads=2", "material:blocks=9",
        "infeasible:primal,n=5,m=9"}) {
    const auto made = Generate(text);
    ASSERT_TRUE(made.ok()) << made.status();
    ExpectAll(made->problem, random);
    EXPECT_FALSE(testing::Test::HasFailure()) << text;
  }
}

// All by U itself: a dense matrix is as many terms as it has rows, and pairs of all of them with
// each of many elements take longer than a product of the BLAS.
TEST(Columns, AreTheTracesOfManyDenseMatricesWhichAreByAProduct) {
  std::mt19937_64 random(2);
  ExpectAll(MatricesOfShape(random, MatrixShape::kDense, {{Shape::kDense, 14}}, 30), random);
  ExpectAll(MatricesOfShape(random, MatrixShape::kDense,
                            {{Shape::kDense, 9}, {Shape::kDiagonal, 5}, {Shape::kDense, 11}}, 20),
            random);
}

// All by their terms: of rank 1, two vectors of n elements, where the triangle has n (n + 1) / 2.
TEST(Columns, AreTheTracesOfMatricesOfRankOneWhichAreByTheirTerms) {
  std::mt19937_64 random(3);
  ExpectAll(MatricesOfShape(random, MatrixShape::kRankOne, {{Shape::kDense, 16}}, 12), random);
}

// Some by a product, whose pairs are by their terms.
TEST(Columns, AreTheTracesOfDenseMatricesWithOnesOfRankOne) {
  std::mt19937_64 random(4);
  const std::vector<Block> blocks = {{Shape::kDense, 13}};
  Problem problem = MatricesOfShape(random, MatrixShape::kDense, blocks, 12);
  for (const MatrixShape shape : {MatrixShape::kRankOne, MatrixShape::kSingle, MatrixShape::kStar,
                                  MatrixShape::kEmpty, MatrixShape::kDiagonal}) {
    const Problem more = MatricesOfShape(random, shape, blocks, 8);
    problem.costs.insert(problem.costs.end(), more.costs.begin(), more.costs.end());
    problem.matrices.insert(problem.matrices.end(), more.matrices.begin() + 1, more.matrices.end());
  }
  ExpectAll(problem, random);
}

// Pairs of doubles are for problems that doubles do not solve: B has more digits than these.
TEST(Columns, OfPairsOfDoublesHaveMoreDigitsThanADouble) {
  std::mt19937_64 random(5);
  for (const MatrixShape shape : {MatrixShape::kSingle, MatrixShape::kFew, MatrixShape::kStar,
                                  MatrixShape::kDense, MatrixShape::kRankOne}) {
    const Problem problem =
        MatricesOfShape(random, shape, {{Shape::kDense, 8}, {Shape::kDiagonal, 3}}, 10);
    // As far as the long double goes that it is compared with.
    ExpectTheTraces<DoubleDouble>(problem, random, 1e-18);
    EXPECT_FALSE(testing::Test::HasFailure()) << static_cast<int>(shape);
  }
}

TEST(FullestFirst, OrdersByElementsOfBothTrianglesAndKeepsTheOrderOfEquals) {
  const Problem problem = {.blocks = {{Shape::kDense, 3}, {Shape::kDiagonal, 2}},
                           .costs = {1, 2, 3, 4, 5},
                           .matrices = {{{0, {{0, 0, 9}}}},
                                        {{0, {{0, 0, 1}}}},  // 1
                                        {{0, {{0, 1, 1}}}},  // 2: and its mirror image
                                        {},                  // 0
                                        {{0, {{1, 1, 1}}}, {1, {{0, 0, 1}}}},               // 2
                                        {{0, {{0, 2, 1}, {1, 1, 1}}}, {1, {{1, 1, 1}}}}}};  // 4
  const std::vector<std::size_t> order = FullestFirst(problem);
  EXPECT_EQ(order, (std::vector<std::size_t>{4, 1, 3, 0, 2}));
  const Problem reordered = Reordered(problem, order);
  EXPECT_EQ(reordered.blocks, problem.blocks);
  EXPECT_EQ(reordered.costs, (std::vector<double>{5, 2, 4, 1, 3}));
  ASSERT_EQ(reordered.matrices.size(), 6u);
  EXPECT_EQ(reordered.matrices[0], problem.matrices[0]);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(reordered.matrices[i + 1], problem.matrices[order[i] + 1]);
  }
}

}  // namespace
}  // namespace sdpa
