// The BLAS of pairs of doubles, whose numbers are those of the loops that define it to the last
// bit.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <vector>

#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/linear/pair_functions.h"
#include "apps/sdpa/linear/pair_kernels.h"
#include "apps/sdpa/linear/quads.h"

namespace sdpa {
namespace {

// A value: a matrix with more memory a row than it needs.
struct Stored {
  Stored(int rows, int columns, std::mt19937& random)
      : elements(static_cast<std::size_t>(rows * (columns + 3))),
        matrix{elements.data(), rows, columns, columns + 3} {
    std::uniform_real_distribution<double> number(-1, 1);
    for (DoubleDouble& element : elements)
      element = DoubleDouble(number(random)) + 1e-17 * number(random);
  }
  Stored(const Stored& other)
      : elements(other.elements),
        matrix{elements.data(), other.matrix.rows, other.matrix.columns, other.matrix.stride} {}
  Matrix<const DoubleDouble> view() const { return matrix; }

  std::vector<DoubleDouble> elements;
  Matrix<DoubleDouble> matrix;
};

// L with a large diagonal.
Stored Lower(int n, std::mt19937& random) {
  Stored lower(n, n, random);
  for (int i = 0; i < n; ++i) lower.matrix.at(i, i) += DoubleDouble(n);
  return lower;
}

TEST(PairsBlas, MultipliesAsTheLoops) {
  std::mt19937 random(1);
  for (const auto [rows, columns, depth] :
       {std::array{1, 1, 1}, {5, 9, 7}, {20, 21, 22}, {33, 4, 50}, {40, 7, 1}, {8, 64, 3}}) {
    for (const Op of_a : {Op::kPlain, Op::kTransposed}) {
      for (const Op of_b : {Op::kPlain, Op::kTransposed}) {
        const Stored a = of_a == Op::kPlain ? Stored(rows, depth, random)
                                            : Stored(depth, rows, random),
                     b = of_b == Op::kPlain ? Stored(depth, columns, random)
                                            : Stored(columns, depth, random);
        for (const auto [alpha, beta] : {std::array{1.0, 0.0}, {-1.0, 1.0}, {0.5, -2.0}}) {
          Stored c(rows, columns, random), loops = c;
          Multiply(alpha, a.view(), of_a, b.view(), of_b, beta, c.matrix);
          Multiply<DoubleDouble>(alpha, a.view(), of_a, b.view(), of_b, beta, loops.matrix);
          EXPECT_EQ(c.elements, loops.elements) << rows << " " << columns << " " << depth;
        }
      }
    }
  }
}

TEST(PairsBlas, SolvesAsTheLoops) {
  std::mt19937 random(2);
  for (const auto [n, columns] :
       {std::array{1, 1}, {7, 5}, {16, 16}, {23, 40}, {50, 3}, {31, 13}}) {
    const Stored l = Lower(n, random);
    for (const Op op : {Op::kPlain, Op::kTransposed}) {
      Stored b(n, columns, random);
      Stored loops = b;
      SolveLeft(l.view(), op, b.matrix);
      SolveLeft<DoubleDouble>(l.view(), op, loops.matrix);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < columns; ++j) {
          // The loops take the products off in another order where they go backward.
          const DoubleDouble difference = b.matrix.at(i, j) - loops.matrix.at(i, j);
          EXPECT_NEAR(difference.high(), 0, 1e-30) << n << " " << i << " " << j;
        }
      }
    }
    Stored right(columns, n, random);
    Stored loops = right;
    SolveRightTransposed(l.view(), right.matrix);
    SolveRightTransposed<DoubleDouble>(l.view(), loops.matrix);
    EXPECT_EQ(right.elements, loops.elements) << n;
  }
}

TEST(PairsBlas, FactorsAsTheLoops) {
  std::mt19937 random(3);
  for (const int n : {1, 15, 16, 17, 40, 65}) {
    const Stored l = Lower(n, random);
    Stored a(n, n, random);
    Multiply<DoubleDouble>(1, l.view(), Op::kPlain, l.view(), Op::kTransposed, 0, a.matrix);
    Stored loops = a;
    ASSERT_TRUE(FactorCholesky(a.matrix));
    ASSERT_TRUE(FactorCholesky<DoubleDouble>(loops.matrix));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) EXPECT_EQ(a.matrix.at(i, j), loops.matrix.at(i, j)) << n;
      for (int j = i + 1; j < n; ++j) EXPECT_EQ(a.matrix.at(i, j), loops.matrix.at(i, j)) << n;
    }
    a.matrix.at(n - 1, n - 1) = -1;
    EXPECT_FALSE(FactorCholesky(a.matrix)) << n;
  }
}

// Those that any processor has, and those of this one.
TEST(PairKernels, AreTheSameByEachProcessor) {
  struct Here;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto numbers = [&](int count) {
    std::vector<double> all(static_cast<std::size_t>(count));
    for (double& one : all) one = number(random);
    return all;
  };
  const int rows = 7, depth = 11;
  const std::vector<double> a = numbers(2 * rows * depth), others = numbers(2 * kLanes * depth);
  std::vector<double> sums = numbers(2 * kLanes * rows), here = sums;
  PairKernels<Here>::MultiplyAdd(a.data(), others.data(), rows, depth, sums.data());
  PairFunctionsHere().multiply_add(a.data(), others.data(), rows, depth, here.data());
  EXPECT_EQ(sums, here);

  std::vector<double> l = numbers(2 * depth * depth);
  for (int i = 0; i < depth; ++i) l[static_cast<std::size_t>(2 * i * (depth + 1))] += 20;
  std::vector<double> columns = numbers(2 * kLanes * depth * 4), of_here = columns;
  PairKernels<Here>::SolveLower(l.data(), depth, 4, columns.data());
  PairFunctionsHere().solve_lower(l.data(), depth, 4, of_here.data());
  EXPECT_EQ(columns, of_here);
}

}  // namespace
}  // namespace sdpa
