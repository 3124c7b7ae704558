#include "apps/sdpa/interior_point/short_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "apps/sdpa/interior_point/residual.h"
#include "apps/sdpa/linear/aggregate.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/tests/random_matrices.h"
#include "lwt/pool.h"

namespace sdpa {
namespace {

// One block of many rows, where F_1 to F_m are short, and others beside it.
const std::vector<Block> kBlocks = {
    {Shape::kDense, 150}, {Shape::kDiagonal, 9}, {Shape::kDense, 5}, {Shape::kDense, 130}};

// With a matrix of rank 1 in the first block, and two in the last.
Problem Short(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Problem problem = {.blocks = kBlocks, .costs = {}, .matrices = {{}}};
  for (int i = 0; i < 30; ++i) {
    MatrixBuilder matrix;
    for (int l = 0; l < 4; ++l) {
      const auto shape = i % 7 == l ? MatrixShape::kSingle : MatrixShape::kFew;
      if (i % 3 != l % 3) AddRandom(random, shape, l, kBlocks[static_cast<std::size_t>(l)], matrix);
    }
    problem.costs.push_back(1);
    problem.matrices.push_back(matrix.Build());
  }
  for (const int i : {5, 6, 9}) {
    MatrixBuilder matrix;
    const int l = i == 5 ? 0 : 3;
    AddRandom(random, MatrixShape::kRankOne, l, kBlocks[static_cast<std::size_t>(l)], matrix);
    problem.matrices[static_cast<std::size_t>(i) + 1] = matrix.Build();
  }
  return problem;
}

template <typename Real>
BlockMatrix<Real> Random(const std::shared_ptr<const Layout>& layout, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> value;
  BlockMatrix<Real> matrix(layout);
  for (Real& element : matrix.elements()) element = value(random);
  return matrix;
}

template <typename Real>
double DifferenceOf(BlockMatrix<Real> a, const BlockMatrix<Real>& b) {
  a.Add(Real(-1), b);
  return LargestOf(a);
}

template <typename Real>
BlockMatrix<Real> CombinationOf(const Problem& problem, const std::vector<Real>& x,
                                const std::shared_ptr<const Layout>& layout) {
  BlockMatrix<Real> sum(layout);
  for (std::size_t i = 0; i < x.size(); ++i) sum.Add(x[i], problem.matrices[i + 1]);
  return sum;
}

template <typename Real>
void ExpectTheWholeOnes(const Problem& problem, Rounding rounding, double error) {
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const ShortProducts products(problem, layout, rounding);
  ASSERT_TRUE(products.are_short());
  auto pool = lwt::Pool::Create({.workers = 2});
  ASSERT_TRUE(pool.ok());
  (*pool)->Run([&] {
    BlockMatrix<Real> a = Random<Real>(layout, 1);
    const BlockMatrix<Real> b = Random<Real>(layout, 2);
    a.MakeSymmetric();
    BlockMatrix<Real> whole(layout), scratch(layout);
    Multiply(a, b, whole);
    whole.MakeSymmetric();
    const auto expect_products = [&](const Seen<Real>& seen, const BlockMatrix<Real>& of) {
      const std::vector<Real> found = products.ProductsOf(seen);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Real expected = Dot(problem.matrices[i + 1], of);
        EXPECT_LT(std::abs(static_cast<double>(found[i] - expected)), error) << i;
      }
    };
    expect_products(products.See(a), a);
    const Seen<Real> seen = products.SeeProduct(a, b, scratch);
    expect_products(seen, whole);
    // Elements of the pattern are set to what they are, and no others.
    BlockMatrix<Real> set = whole;
    products.Set(seen, set);
    EXPECT_LT(DifferenceOf(set, whole), error);

    std::vector<Real> x(problem.constraints());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + 0.1 * static_cast<double>(i);
    BlockMatrix<Real> found = b;  // What was there before does not count.
    products.Multiply(x, b, found);
    Multiply(CombinationOf(problem, x, layout), b, whole);
    EXPECT_LT(DifferenceOf(found, whole), error);
  });
}

TEST(ShortProducts, AreTheWholeOnes) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    ExpectTheWholeOnes<double>(Short(seed), Rounding::kLastBits, 1e-10);
  }
  // Ones, which are of rank 1 in any precision.
  Problem problem = Short(4);
  MatrixBuilder ones;
  for (int i = 0; i < 150; ++i) {
    for (int j = 0; j <= i; ++j) ones.Add(0, j, i, 1);
  }
  problem.matrices[6] = ones.Build();
  problem.matrices[7] = problem.matrices[10] = {};
  ExpectTheWholeOnes<DoubleDouble>(problem, Rounding::kNone, 1e-26);
}

TEST(ShortProducts, AreNoneWhereMatricesAreFull) {
  std::mt19937_64 random(1);
  const Problem problem = MatricesOfShape(random, MatrixShape::kDense, {{Shape::kDense, 100}}, 3);
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  EXPECT_FALSE(ShortProducts(problem, layout, Rounding::kLastBits).are_short());
}

// A residual of few elements and a multiple of the first block's matrix of rank 1, with roundings.
TEST(Residual, ItsProductsAreTheWholeOnes) {
  const Problem problem = Short(1);
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const ShortProducts products(problem, layout, Rounding::kLastBits);
  const Aggregate aggregate(problem, *layout);
  auto pool = lwt::Pool::Create({.workers = 2});
  ASSERT_TRUE(pool.ok());
  (*pool)->Run([&] {
    std::vector<double> x(problem.constraints(), 0);
    x[1] = 3, x[5] = -2;
    BlockMatrix<double> residual = CombinationOf(problem, x, layout);
    residual.AddToDiagonal(7);
    BlockMatrix<double> noise = Random<double>(layout, 3);
    noise.MakeSymmetric();
    residual.Add(1e-16, noise);
    const BlockMatrix<double> b = Random<double>(layout, 4);
    BlockMatrix<double> whole(layout), found = b;
    Multiply(residual, b, whole);
    for (const double harmless : {1e-10, 0.0}) {
      Residual<double>(residual, aggregate, products, 10, harmless).Multiply(b, found);
      EXPECT_LT(DifferenceOf(found, whole), 1e-11);
      // With nothing that may be left out the product is that of all elements.
      const bool is_whole = DifferenceOf(found, whole) == 0;
      EXPECT_EQ(is_whole, harmless == 0);
    }
  });
}

}  // namespace
}  // namespace sdpa
