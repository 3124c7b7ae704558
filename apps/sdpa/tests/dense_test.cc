// What is done by stripes and several workers, against one thread's.
#include "apps/sdpa/linear/dense.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/double_double.h"
#include "lwt/pool.h"

namespace sdpa {
namespace {

// None, one and several stripes, of which the last is whole, or has a row more or less.
constexpr int kRows[] = {1, 2, 31, 127, 128, 129, 257};

template <typename Real>
using Elements = std::vector<Real>;

template <typename Real>
Matrix<const Real> ViewOf(const Elements<Real>& elements, int n) {
  return Square(std::span<const Real>(elements), n);
}
template <typename Real>
Matrix<Real> ViewOf(Elements<Real>& elements, int n) {
  return Square(std::span<Real>(elements), n);
}

template <typename Real>
Elements<Real> RandomElements(std::mt19937_64& random, int n) {
  std::normal_distribution<double> value;
  Elements<Real> elements(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (Real& element : elements) element = value(random);
  return elements;
}

// A A' + I.
template <typename Real>
Elements<Real> RandomPositive(std::mt19937_64& random, int n) {
  const Elements<Real> a = RandomElements<Real>(random, n);
  Elements<Real> positive(a.size());
  Multiply(1.0 / n, ViewOf(a, n), Op::kPlain, ViewOf(a, n), Op::kTransposed, 0,
           ViewOf(positive, n));
  for (int i = 0; i < n; ++i) ViewOf(positive, n).at(i, i) += Real(1);
  return positive;
}

std::unique_ptr<lwt::Pool> PoolOf(int workers) {
  auto pool = lwt::Pool::Create({.workers = workers});
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

template <typename Real>
double LargestDifference(const Elements<Real>& a, const Elements<Real>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i] - b[i]));
    if (!(difference <= largest)) largest = difference;  // or no number
  }
  return largest;
}

template <typename Real>
bool AreEqualInEveryBit(const Elements<Real>& a, const Elements<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

template <typename Real>
class Dense : public testing::Test {
 protected:
  Dense() { UseOneThread(); }

  static bool IsDouble() { return sizeof(Real) == sizeof(double); }
  // Loops of pairs of doubles take long in tests, which are not optimized.
  static std::vector<int> Rows() {
    std::vector<int> rows(std::begin(kRows), std::end(kRows));
    if (!IsDouble()) rows = {1, 2, 31, 129};
    return rows;
  }
  static double Error() { return IsDouble() ? 1e-11 : 1e-27; }

  // What `compute` returns, on pools of 1, 2 and 7 workers, of pairs of doubles 1 and 7: the same
  // in every bit.
  template <typename Compute>
  static Elements<Real> OnPools(const Compute& compute) {
    const Elements<Real> by_one = PoolOf(1)->Run(compute);
    for (const int workers : IsDouble() ? std::vector{2, 7} : std::vector{7}) {
      EXPECT_TRUE(AreEqualInEveryBit(PoolOf(workers)->Run(compute), by_one)) << workers;
    }
    return by_one;
  }
};

using Numbers = testing::Types<double, DoubleDouble>;
TYPED_TEST_SUITE(Dense, Numbers);

TYPED_TEST(Dense, ProductsAreThoseOfOneThread) {
  std::mt19937_64 random(1);
  for (const int n : this->Rows()) {
    const auto a = RandomElements<TypeParam>(random, n), b = RandomElements<TypeParam>(random, n),
               c = RandomElements<TypeParam>(random, n);
    Elements<TypeParam> expected = c;
    Multiply(-2, ViewOf(a, n), Op::kPlain, ViewOf(b, n), Op::kPlain, 0.5, ViewOf(expected, n));
    const auto found = this->OnPools([&] {
      Elements<TypeParam> product = c;
      ParallelMultiply(-2, ViewOf(a, n), ViewOf(b, n), 0.5, ViewOf(product, n));
      return product;
    });
    EXPECT_LT(LargestDifference(found, expected), this->Error()) << n;
  }
}

// What was there before is not read: it may be no number.
TYPED_TEST(Dense, ProductsThatReplaceDoNotReadWhatTheyReplace) {
  std::mt19937_64 random(2);
  for (const int n : {2, 129}) {
    const auto a = RandomElements<TypeParam>(random, n), b = RandomElements<TypeParam>(random, n);
    const auto found = this->OnPools([&] {
      Elements<TypeParam> product(a.size(), std::numeric_limits<double>::quiet_NaN());
      ParallelMultiply(1, ViewOf(a, n), ViewOf(b, n), 0, ViewOf(product, n));
      return product;
    });
    for (const TypeParam& element : found) ASSERT_TRUE(element == element) << n;
  }
}

TYPED_TEST(Dense, CholeskysFactorTimesItsTransposeIsTheMatrix) {
  std::mt19937_64 random(3);
  for (const int n : this->Rows()) {
    const auto a = RandomPositive<TypeParam>(random, n);
    auto l = this->OnPools([&] {
      Elements<TypeParam> factor = a;
      EXPECT_TRUE(ParallelCholesky(ViewOf(factor, n)));
      return factor;
    });
    Elements<TypeParam> alone = a;
    ASSERT_TRUE(FactorCholesky(ViewOf(alone, n)));
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        // One stripe's is LAPACK's, which leaves the upper triangle.
        ViewOf(l, n).at(i, j) = ViewOf(alone, n).at(i, j) = TypeParam(0);
      }
    }
    EXPECT_LT(LargestDifference(l, alone), this->Error()) << n;
    Elements<TypeParam> product(a.size());
    Multiply(1, ViewOf(std::as_const(l), n), Op::kPlain, ViewOf(std::as_const(l), n),
             Op::kTransposed, 0, ViewOf(product, n));
    EXPECT_LT(LargestDifference(product, a), this->Error()) << n;
  }
}

// Callers hand over matrices of which both triangles are there.
TYPED_TEST(Dense, CholeskysFactorDoesNotDependOnTheUpperTriangle) {
  std::mt19937_64 random(4);
  for (const int n : {31, 129}) {
    const auto a = RandomPositive<TypeParam>(random, n);
    PoolOf(2)->Run([&] {
      Elements<TypeParam> whole = a, half = a;
      for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
          ViewOf(half, n).at(i, j) = std::numeric_limits<double>::quiet_NaN();
        }
      }
      ASSERT_TRUE(ParallelCholesky(ViewOf(whole, n)));
      ASSERT_TRUE(ParallelCholesky(ViewOf(half, n)));
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
          ASSERT_EQ(ViewOf(whole, n).at(i, j), ViewOf(half, n).at(i, j)) << i << " " << j;
        }
      }
    });
  }
}

TYPED_TEST(Dense, TheInverseTimesTheMatrixIsTheIdentity) {
  std::mt19937_64 random(5);
  for (const int n : this->Rows()) {
    const auto a = RandomPositive<TypeParam>(random, n);
    Elements<TypeParam> l = a;
    ASSERT_TRUE(FactorCholesky(ViewOf(l, n)));
    const auto inverse = this->OnPools([&] {
      // Neither is read before it is written.
      Elements<TypeParam> scratch(a.size(), std::numeric_limits<double>::quiet_NaN()),
          found = scratch;
      InverseOfFactor(ViewOf(std::as_const(l), n), ViewOf(scratch, n), ViewOf(found, n));
      return found;
    });
    Elements<TypeParam> product(a.size()), identity(a.size());
    Multiply(1, ViewOf(a, n), Op::kPlain, ViewOf(inverse, n), Op::kPlain, 0, ViewOf(product, n));
    for (int i = 0; i < n; ++i) ViewOf(identity, n).at(i, i) = TypeParam(1);
    EXPECT_LT(LargestDifference(product, identity), this->Error()) << n;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        ASSERT_EQ(ViewOf(inverse, n).at(i, j), ViewOf(inverse, n).at(j, i)) << n;
      }
    }
  }
}

// Wherever the pivot is that is not positive: in each stripe's first and last row, too.
TYPED_TEST(Dense, MatricesThatAreNotPositiveDefiniteAreRefused) {
  std::mt19937_64 random(6);
  const auto pool = PoolOf(2);
  for (const int n : this->Rows()) {
    const auto a = RandomPositive<TypeParam>(random, n);
    for (const int row : {0, n / 2, std::min(n - 1, 127), std::min(n - 1, 128), n - 1}) {
      for (const double wrong : {-1e-3, 0.0, -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()}) {
        Elements<TypeParam> other = a;
        ViewOf(other, n).at(row, row) = wrong;
        EXPECT_FALSE(pool->Run([&] { return ParallelCholesky(ViewOf(other, n)); }))
            << n << " rows, " << wrong << " in row " << row;
      }
      if (row == 0) continue;
      Elements<TypeParam> other = a;
      ViewOf(other, n).at(row, row / 2) = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(pool->Run([&] { return ParallelCholesky(ViewOf(other, n)); }))
          << n << " rows, no number in row " << row;
    }
  }
}

}  // namespace
}  // namespace sdpa
