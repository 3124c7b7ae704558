#include "apps/sdpa/linear/aggregate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "lwt/pool.h"

namespace sdpa {
namespace {

// Blocks of many sizes, of which those of at least 64 rows have a pattern.
const std::vector<Block> kBlocks = {{Shape::kDense, 70}, {Shape::kDiagonal, 9},
                                    {Shape::kDense, 5},  {Shape::kDense, 129},
                                    {Shape::kDense, 64}, {Shape::kDiagonal, 100}};

// F_1 to F_4 with so many random elements in each block; F_0 has one for itself.
Problem WithElements(int elements, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> value;
  Problem problem = {.blocks = kBlocks, .costs = {1, 1, 1, 1}, .matrices = {}};
  for (int i = 0; i <= 4; ++i) {
    MatrixBuilder matrix;
    for (int l = 0; l < static_cast<int>(kBlocks.size()); ++l) {
      const Block& block = kBlocks[static_cast<std::size_t>(l)];
      const Shape shape = block.shape;
      const int size = block.size;
      const auto row = [&] { return static_cast<int>(random() % static_cast<unsigned>(size)); };
      for (int k = 0; k < (i == 0 ? 1 : elements); ++k) {
        const int one = row();
        matrix.Add(l, one, shape == Shape::kDense ? row() : one, value(random));
      }
    }
    problem.matrices.push_back(matrix.Build());
  }
  return problem;
}

template <typename Real>
void ExpectTheFullProduct(const Problem& problem, double error) {
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const Aggregate aggregate(problem, *layout);
  std::mt19937_64 random(1);
  std::normal_distribution<double> value;
  // As a residual is: a combination of all matrices, and a multiple of I.
  BlockMatrix<Real> a(layout), b(layout);
  for (const SparseMatrix& matrix : problem.matrices) a.Add(Real(value(random)), matrix);
  a.AddToDiagonal(Real(2));
  for (Real& element : b.elements()) element = value(random);
  auto pool = lwt::Pool::Create({.workers = 2});
  ASSERT_TRUE(pool.ok());
  (*pool)->Run([&] {
    // What was there before does not count.
    BlockMatrix<Real> found = b, expected = b;
    aggregate.Multiply(a, b, found);
    Multiply(a, b, expected);
    double largest = 0;
    for (std::size_t i = 0; i < found.elements().size(); ++i) {
      const double difference =
          std::abs(static_cast<double>(found.elements()[i] - expected.elements()[i]));
      if (!(difference <= largest)) largest = difference;
    }
    EXPECT_LT(largest, error);
  });
}

TEST(Aggregate, ProductsAreTheWholeOnesWhereThePatternIsSparse) {
  for (const int elements : {0, 1, 10, 60}) {
    ExpectTheFullProduct<double>(WithElements(elements, 1), 1e-11);
  }
  ExpectTheFullProduct<DoubleDouble>(WithElements(20, 2), 1e-28);
}

TEST(Aggregate, ProductsAreTheWholeOnesWhereThePatternIsDense) {
  ExpectTheFullProduct<double>(WithElements(3000, 3), 1e-10);
}

// So that a product with what was dropped from is the whole one.
TEST(Aggregate, WhatItDoesNotReadIsDropped) {
  const Problem problem = WithElements(10, 5);
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const Aggregate aggregate(problem, *layout);
  BlockMatrix<double> a(layout), b(layout);
  std::mt19937_64 random(6);
  std::normal_distribution<double> value;
  for (double& element : a.elements()) element = value(random);
  for (double& element : b.elements()) element = value(random);
  BlockMatrix<double> kept = a;
  aggregate.DropOthers(kept);
  auto pool = lwt::Pool::Create({.workers = 2});
  ASSERT_TRUE(pool.ok());
  (*pool)->Run([&] {
    BlockMatrix<double> found(layout), expected(layout), other(layout);
    aggregate.Multiply(a, b, found);
    Multiply(kept, b, expected);
    Multiply(a, b, other);
    found.Add(-1, expected);
    EXPECT_LT(LargestOf(found), 1e-11);
    other.Add(-1, expected);
    EXPECT_GT(LargestOf(other), 1) << "nothing was dropped";
  });
  // What the problem's matrices have is kept.
  BlockMatrix<double> combined(layout);
  for (const SparseMatrix& matrix : problem.matrices) combined.Add(1, matrix);
  const BlockMatrix<double> before = combined;
  aggregate.DropOthers(combined);
  EXPECT_TRUE(std::ranges::equal(combined.elements(), before.elements()));
}

// An element of F_0 alone, as max-cut has.
TEST(Aggregate, ThePatternHasTheElementsOfTheConstantMatrix) {
  Problem problem = WithElements(0, 4);
  problem.matrices[0] = {{0, {{0, 69, 3}, {5, 6, -1}}}, {3, {{0, 128, 2}}}};
  ExpectTheFullProduct<double>(problem, 1e-11);
}

}  // namespace
}  // namespace sdpa
