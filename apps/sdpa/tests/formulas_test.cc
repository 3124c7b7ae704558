#include "apps/sdpa/elements/formulas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "apps/sdpa/elements/choice.h"
#include "apps/sdpa/elements/rank_one.h"
#include "apps/sdpa/problem/problem.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

using Matrix = std::vector<double>;  // n x n, row by row

Matrix Times(const Matrix& a, const Matrix& b, std::size_t n) {
  Matrix product(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) product[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return product;
}

Matrix Dense(std::span<const Element> elements, std::size_t n) {
  Matrix dense(n * n, 0);
  for (const auto [row, column, value] : elements) {
    const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
    dense[i * n + j] = dense[j * n + i] = value;
  }
  return dense;
}

Matrix RandomSymmetric(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<double> value;
  Matrix matrix(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) matrix[i * n + j] = matrix[j * n + i] = value(random);
  }
  return matrix;
}

std::vector<Element> RandomSparse(std::mt19937_64& random, std::size_t n, double density) {
  std::normal_distribution<double> value;
  std::bernoulli_distribution is_there(density);
  std::vector<Element> elements;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      if (is_there(random)) {
        elements.push_back({static_cast<int>(i), static_cast<int>(j), value(random)});
      }
    }
  }
  return elements;
}

std::vector<Element> RandomRankOne(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<double> value;
  std::vector<double> a(n, 0);
  for (double& element : a) element = random() % 2 == 0 ? value(random) : 0;
  a[random() % n] = 2;
  const double scale = random() % 2 == 0 ? 1 : -1;
  std::vector<Element> elements;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      if (a[i] == 0 || a[j] == 0) continue;
      elements.push_back({static_cast<int>(i), static_cast<int>(j), scale * a[i] * a[j]});
    }
  }
  return elements;
}

// tr(F_i Y F_j X^-1) as it is written; the formulas' sums differ by roundings only.
TEST(Formulas, AllGiveTheTraceOfRandomMatrices) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(400);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t n = 1 + random() % 12;
    const Matrix y = RandomSymmetric(random, n), inverse = RandomSymmetric(random, n);
    const double density = 0.05 + 0.1 * static_cast<double>(random() % 10);
    const bool rank_one = random() % 3 == 0;
    const auto f_i = rank_one ? RandomRankOne(random, n) : RandomSparse(random, n, density);
    const auto f_j = rank_one ? RandomRankOne(random, n) : RandomSparse(random, n, density);
    const Matrix product = Times(Times(Dense(f_i, n), y, n), Times(Dense(f_j, n), inverse, n), n);
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) trace += product[i * n + i];

    const DenseBlock of_y{n, y}, of_inverse{n, inverse};
    Matrix times(n * n), u(n * n);
    TimesInverse(of_inverse, f_j, times);
    Sandwich(of_y, times, u);
    const double bound = 1e-10 * (1 + std::abs(trace)) * static_cast<double>(n * n);
    EXPECT_NEAR(ByF1(f_i, {n, u}), trace, bound) << "seed " << seed;
    EXPECT_NEAR(ByF2(f_i, of_y, {n, times}), trace, bound) << "seed " << seed;
    EXPECT_NEAR(ByF3(f_i, f_j, of_y, of_inverse), trace, bound) << "seed " << seed;
    if (!rank_one) continue;
    const auto found = AsRankOne(f_i);
    ASSERT_TRUE(found) << "seed " << seed;
    for (const auto [row, column, value] : f_i) {
      const auto at = [&](int number) {
        const auto place = std::find(found->rows.begin(), found->rows.end(), number);
        return found->values[static_cast<std::size_t>(place - found->rows.begin())];
      };
      EXPECT_NEAR(found->scale * at(row) * at(column), value, 1e-14 * std::abs(value));
    }
  }
}

TEST(AsRankOne, FindsNoneWhereAnElementDiffersIsMissingOrMore) {
  const std::vector<Element> of_rank_one = {{0, 0, -4}, {0, 2, 6}, {2, 2, -9}};
  const auto found = AsRankOne(of_rank_one);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->scale, -1);
  EXPECT_EQ(found->rows, (std::vector<int>{0, 2}));
  for (std::size_t i = 0; i < of_rank_one.size(); ++i) {
    std::vector<Element> other = of_rank_one;
    other[i].value *= 1 + 1e-14;
    EXPECT_FALSE(AsRankOne(other)) << i;
    other = of_rank_one;
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(AsRankOne(other).has_value(), false) << i;
  }
  EXPECT_FALSE(AsRankOne(std::vector<Element>{{0, 0, 1}, {1, 1, 1}})) << "the identity";
  EXPECT_FALSE(AsRankOne(std::vector<Element>{{0, 1, 1}})) << "an edge of theta's";
  EXPECT_FALSE(AsRankOne(std::vector<Element>{}));
}

TEST(CostsOf, ChooseF1ForDenseF2ForMediumAndF3ForSparseMatrices) {
  constexpr std::size_t n = 300, m = 4000;
  EXPECT_EQ(CostsOf(n, n * n, m * n * n).cheapest(), Formula::kF1);
  EXPECT_EQ(CostsOf(n, 2 * n, 40 * n).cheapest(), Formula::kF2);
  EXPECT_EQ(CostsOf(n, 2, 2 * m).cheapest(), Formula::kF3);
}

}  // namespace
}  // namespace sdpa
