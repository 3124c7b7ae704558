// Against all eigenvalues, by Jacobi's method in long double.
#include "apps/sdpa/linear/lanczos.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/linear/small_eigenvalue.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

using Long = long double;
using Dense = std::vector<Long>;  // n x n

// The eigenvalues of a symmetric matrix; the eigenvectors come as columns.
std::vector<Long> Eigenvalues(Dense a, std::size_t n, Dense* vectors = nullptr) {
  Dense v(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    Long off = 0, all = 0;
    for (std::size_t i = 0; i < n * n; ++i) {
      all += a[i] * a[i];
      if (i / n != i % n) off += a[i] * a[i];
    }
    if (off <= 1e-34L * all) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0) continue;
        const Long theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
        const Long t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const Long c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const Long x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const Long x = a[p * n + k], y = a[q * n + k];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
          const Long u = v[k * n + p], w = v[k * n + q];
          v[k * n + p] = c * u - s * w;
          v[k * n + q] = s * u + c * w;
        }
      }
    }
  }
  std::vector<Long> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = a[i * n + i];
  if (vectors != nullptr) *vectors = v;
  return values;
}

Long LeastOf(const Dense& a, std::size_t n) {
  const std::vector<Long> values = Eigenvalues(a, n);
  return *std::min_element(values.begin(), values.end());
}

// L^-1 D L'^-1.
Dense Pencil(const std::vector<double>& l, const std::vector<double>& d, std::size_t n) {
  Dense a(d.begin(), d.end());
  for (int side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < i; ++k) a[i * n + j] -= l[i * n + k] * a[k * n + j];
        a[i * n + j] /= l[i * n + i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
    }
  }
  return a;
}

template <typename Real>
double BoundOf(const std::vector<double>& l, const std::vector<double>& d, std::size_t n) {
  const std::vector<Real> real_l(l.begin(), l.end()), real_d(d.begin(), d.end());
  return LeastEigenvalueBound(Square(std::span<const Real>(real_l), static_cast<int>(n)),
                              Square(std::span<const Real>(real_d), static_cast<int>(n)));
}

// Of few rows nothing is left to luck.
void ExpectTheLeastOfSmall(const std::vector<double>& l, const std::vector<double>& d,
                           std::size_t n, double least) {
  const double size = std::max(1.0, std::abs(least));
  const std::vector<DoubleDouble> long_l(l.begin(), l.end()), long_d(d.begin(), d.end());
  const int rows = static_cast<int>(n);
  for (const double found :
       {LeastEigenvalueOfSmall(Square(std::span(l), rows), Square(std::span(d), rows)),
        LeastEigenvalueOfSmall(Square(std::span(long_l), rows), Square(std::span(long_d), rows))}) {
    EXPECT_GE(found, least - 0.0011 * size);
    EXPECT_LE(found, least + 1e-9 * size);
  }
}

// Never too low; returns how many bounds of two are above the eigenvalue, as an unlucky vector
// makes them, by so much that a step would be too long. No step is shortened for what is above
// -0.5.
int MissesOf(const std::vector<double>& l, const std::vector<double>& d, std::size_t n) {
  const double least = static_cast<double>(LeastOf(Pencil(l, d, n), n));
  const double size = std::max(1.0, std::abs(least));
  if (n <= kMostSmallRows) ExpectTheLeastOfSmall(l, d, n, least);
  int misses = 0;
  for (const double bound : {BoundOf<double>(l, d, n), BoundOf<DoubleDouble>(l, d, n)}) {
    EXPECT_GE(bound, least - 0.02 * size);
    if (!(std::min(bound, -0.5) <= std::min(least, -0.5) + 1e-7 * size)) ++misses;
  }
  return misses;
}

void ExpectABound(const std::vector<double>& l, const std::vector<double>& d, std::size_t n) {
  EXPECT_EQ(MissesOf(l, d, n), 0) << n << " rows";
}

// A lower triangle; what is above the diagonal is never read.
std::vector<double> RandomTriangle(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<double> value;
  std::uniform_real_distribution<double> positive(0.5, 2);
  std::vector<double> l(n * n, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      l[i * n + j] = value(random) / std::sqrt(static_cast<double>(n));
    l[i * n + i] = positive(random);
  }
  return l;
}

// A symmetric D so that L^-1 D L'^-1 has these eigenvalues: L Q diag Q' L'.
std::vector<double> WithEigenvalues(std::mt19937_64& random, const std::vector<double>& l,
                                    const std::vector<double>& values) {
  const std::size_t n = values.size();
  std::normal_distribution<double> value;
  Dense symmetric(n * n), q;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      symmetric[i * n + j] = symmetric[j * n + i] = value(random);
  }
  Eigenvalues(symmetric, n, &q);
  Dense lq(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      for (std::size_t j = 0; j < n; ++j) lq[i * n + j] += l[i * n + k] * q[k * n + j];
    }
  }
  std::vector<double> d(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Long sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += lq[i * n + k] * values[k] * lq[j * n + k];
      d[i * n + j] = d[j * n + i] = static_cast<double>(sum);
    }
  }
  return d;
}

TEST(LeastOfTridiagonal, IsTheLeastEigenvalueAndTheLastOfItsVector) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(200);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> value;
    const std::size_t n = 1 + random() % 20;
    std::vector<double> diagonal(n), beside(n - 1);
    Dense a(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      diagonal[i] = value(random);
      a[i * n + i] = diagonal[i];
      if (i + 1 == n) break;
      beside[i] = random() % 10 == 0 ? 0 : std::abs(value(random));
      a[i * n + i + 1] = a[(i + 1) * n + i] = beside[i];
    }
    Dense vectors;
    const std::vector<Long> values = Eigenvalues(a, n, &vectors);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) at = values[i] < values[at] ? i : at;
    const LeastPair found = LeastOfTridiagonal(diagonal, beside);
    EXPECT_NEAR(found.value, static_cast<double>(values[at]), 1e-7) << "seed " << seed;
    EXPECT_NEAR(found.last, static_cast<double>(std::abs(vectors[(n - 1) * n + at])), 1e-3)
        << "seed " << seed;
  }
}

TEST(LeastOfTridiagonal, OfZerosIsZero) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    const std::vector<double> zeros(n);
    const LeastPair found = LeastOfTridiagonal(zeros, std::span(zeros).first(n - 1));
    EXPECT_EQ(found.value, 0);
    EXPECT_LE(found.last, 1) << "a number";
  }
}

TEST(LeastEigenvalueBound, IsBelowTheEigenvalueByAboutAHundredth) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(60);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  std::uint64_t misses = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> value;
    const std::size_t n = seed % 60 < 10 ? 1 + seed % 60 : 1 + random() % (seed % 4 == 0 ? 60 : 25);
    const std::vector<double> l = RandomTriangle(random, n);
    std::vector<double> d(n * n);
    const double scale = std::pow(10, static_cast<int>(random() % 9) - 4);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) d[i * n + j] = d[j * n + i] = scale * value(random);
    }
    misses += static_cast<std::uint64_t>(MissesOf(l, d, n));
    // Several equal ones, clusters, and zeros.
    std::vector<double> values(n);
    const double least = value(random);
    for (std::size_t i = 0; i < n; ++i) {
      switch (random() % 4) {
        case 0:
          values[i] = 0;
          break;
        case 1:
          values[i] = least;
          break;
        case 2:
          values[i] = least + 1e-9 * value(random);
          break;
        default:
          values[i] = 1 + std::abs(value(random));
      }
    }
    misses += static_cast<std::uint64_t>(MissesOf(l, WithEigenvalues(random, l, values), n));
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", " << n << " rows";
  }
  std::printf("%ju of %ju too high\n", static_cast<std::uintmax_t>(misses),
              static_cast<std::uintmax_t>(4 * programs));
  EXPECT_LE(misses * 20, 4 * programs);
}

TEST(LeastEigenvalueBound, OfAZeroDirectionIsZero) {
  std::mt19937_64 random(1);
  for (const std::size_t n : {1, 2, 3, 40}) {
    const std::vector<double> l = RandomTriangle(random, n), zeros(n * n);
    EXPECT_EQ(BoundOf<double>(l, zeros, n), 0) << n;
    EXPECT_EQ(BoundOf<DoubleDouble>(l, zeros, n), 0) << n;
  }
}

TEST(LeastEigenvalueBound, OfMultiplesOfTheMatrixItselfIsTheFactor) {
  std::mt19937_64 random(2);
  for (const std::size_t n : {1, 2, 7, 30}) {
    const std::vector<double> l = RandomTriangle(random, n);
    for (const double factor : {-3.0, -1e-6, 1e-6, 2.0}) {
      ExpectABound(l, WithEigenvalues(random, l, std::vector<double>(n, factor)), n);
    }
  }
}

TEST(LeastEigenvalueBound, FindsASingleNegativeEigenvalueAmongManyOthers) {
  std::mt19937_64 random(3);
  for (const double least : {-0.1, -1.0, -100.0}) {
    for (const double others : {0.0, 1e-3, 1.0, 1e4}) {
      const std::vector<double> l = RandomTriangle(random, 50);
      std::vector<double> values(50, others);
      values[7] = least;
      ExpectABound(l, WithEigenvalues(random, l, values), 50);
    }
  }
}

}  // namespace
}  // namespace sdpa
