#include "apps/sdpa/elements/terms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "apps/sdpa/problem/matrix_builder.h"
#include "apps/sdpa/problem/problem.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

using Places = std::map<std::pair<int, int>, double>;

Places PlacesOf(const std::vector<Element>& matrix) {
  Places places;
  for (const auto [row, column, value] : matrix) {
    places[{row, column}] = value;
    places[{column, row}] = value;
  }
  return places;
}

// The sum of the products; the matrix has the same elements, to the last bits.
void ExpectTheMatrix(const std::vector<Term>& terms, const std::vector<Element>& matrix,
                     double error = 1e-14) {
  Places sum;
  for (const auto& [left, right] : terms) {
    ASSERT_EQ(left.rows.size(), left.values.size());
    ASSERT_EQ(right.rows.size(), right.values.size());
    ASSERT_FALSE(left.rows.empty());
    ASSERT_FALSE(right.rows.empty());
    for (std::size_t i = 0; i < left.rows.size(); ++i) {
      for (std::size_t j = 0; j < right.rows.size(); ++j) {
        sum[{left.rows[i], right.rows[j]}] += left.values[i] * right.values[j];
      }
    }
  }
  Places expected = PlacesOf(matrix);
  for (const auto& [place, value] : sum) {
    EXPECT_NEAR(value, expected[place], error * std::abs(expected[place]))
        << place.first << " " << place.second;
  }
  EXPECT_EQ(sum.size(), PlacesOf(matrix).size());
}

std::size_t RowsOf(const std::vector<Element>& matrix) {
  std::set<int> rows;
  for (const Element& element : matrix) {
    rows.insert(element.row);
    rows.insert(element.column);
  }
  return rows.size();
}

std::vector<Element> ElementsOf(const MatrixBuilder& matrix) {
  const SparseMatrix built = matrix.Build();
  return built.empty() ? std::vector<Element>{} : built[0].elements;
}

TEST(TermsOf, TheirSumIsTheMatrixWhateverItsDensity) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(400);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> value;
    const unsigned n = 1 + static_cast<unsigned>(random() % 20);
    MatrixBuilder builder;
    const auto row = [&] { return static_cast<int>(random() % n) * 3; };
    switch (seed % 5) {
      case 0:  // dense
        for (int i = 0; i < static_cast<int>(n); ++i) {
          for (int j = i; j < static_cast<int>(n); ++j) builder.Add(0, i, j, value(random));
        }
        break;
      case 1:  // of rank 1, but for one element in half of them
        for (int i = 0; i < static_cast<int>(n); ++i) {
          for (int j = i; j < static_cast<int>(n); ++j) builder.Add(0, i, j, (i + 1) * (j + 1));
        }
        if (random() % 2 == 0) builder.Add(0, row() / 3, row() / 3, 0.5);
        break;
      case 2:  // several stars
        for (unsigned k = 1 + static_cast<unsigned>(random() % 3); k > 0; --k) {
          const int center = row();
          for (int i = 0; i < static_cast<int>(n); ++i) builder.Add(0, center, i, value(random));
        }
        break;
      default:
        for (unsigned k = 1 + static_cast<unsigned>(random() % (1 + 2 * n)); k > 0; --k) {
          builder.Add(0, row(), row(), value(random));
        }
    }
    const std::vector<Element> matrix = ElementsOf(builder);
    const std::vector<Term> terms = TermsOf(matrix);
    ExpectTheMatrix(terms, matrix);
    EXPECT_LE(terms.size(), RowsOf(matrix));
    ExpectTheMatrix(TermsOf(matrix, Rounding::kNone), matrix, 0);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(TermsOf, AnEdgeIsTwo) {
  const std::vector<Element> edge = {{3, 8, -2}};
  EXPECT_EQ(TermsOf(edge).size(), 2u);
  EXPECT_EQ(SizeOf(TermsOf(edge)), 4u);
  ExpectTheMatrix(TermsOf(edge), edge);
}

TEST(TermsOf, AnElementOfTheDiagonalIsOneOfEitherSign) {
  for (const double value : {2.0, -3.0, 0.1, -1e-300}) {
    const std::vector<Element> single = {{4, 4, value}};
    EXPECT_EQ(TermsOf(single).size(), 1u);
    EXPECT_EQ(SizeOf(TermsOf(single)), 2u);
    ExpectTheMatrix(TermsOf(single), single);
    EXPECT_EQ(TermsOf(single, Rounding::kNone).size(), 1u);
    ExpectTheMatrix(TermsOf(single, Rounding::kNone), single, 0);
  }
}

TEST(TermsOf, AStarIsTwoWithOrWithoutItsCenter) {
  std::vector<Element> star;
  for (int i = 0; i < 9; ++i) star.push_back({i, 9, 1.0 + i});
  for (int i = 10; i < 15; ++i) star.push_back({9, i, 1.0 + i});
  EXPECT_EQ(TermsOf(star).size(), 2u);
  ExpectTheMatrix(TermsOf(star), star);
  star.insert(star.begin() + 9, {9, 9, -1});
  EXPECT_EQ(TermsOf(star).size(), 2u);
  ExpectTheMatrix(TermsOf(star), star);
}

TEST(TermsOf, ADiagonalIsOneForEachElement) {
  std::vector<Element> diagonal;
  for (int i = 0; i < 6; ++i) diagonal.push_back({2 * i, 2 * i, i - 2.5});
  EXPECT_EQ(TermsOf(diagonal).size(), 6u);
  ExpectTheMatrix(TermsOf(diagonal), diagonal);
}

TEST(TermsOf, RankOneIsOneOfEitherSign) {
  const double vector[] = {0.5, -3, 0.1, 7};
  for (const double sign : {1.0, -1.0}) {
    std::vector<Element> matrix;
    for (int i = 0; i < 4; ++i) {
      for (int j = i; j < 4; ++j) matrix.push_back({5 * i, 5 * j, sign * vector[i] * vector[j]});
    }
    EXPECT_EQ(TermsOf(matrix).size(), 1u);
    EXPECT_EQ(SizeOf(TermsOf(matrix)), 8u);
    ExpectTheMatrix(TermsOf(matrix), matrix);
  }
}

TEST(TermsOf, RankOneIsOneWithoutRoundingWhereItIsExactly) {
  const double exact[] = {0.5, -3, 7}, rounded[] = {0.1, -3, 7};
  for (const auto& vector : {exact, rounded}) {
    std::vector<Element> matrix;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) matrix.push_back({i, j, -vector[i] * vector[j]});
    }
    EXPECT_EQ(TermsOf(matrix, Rounding::kNone).size(), vector == exact ? 1u : 3u);
    ExpectTheMatrix(TermsOf(matrix, Rounding::kNone), matrix, 0);
  }
}

}  // namespace
}  // namespace sdpa
