#include "apps/sdpa/sparse/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "apps/sdpa/sparse/at.h"
#include "apps/sdpa/sparse/sparse_pattern.h"
#include "apps/sdpa/sparse/supernodes.h"
#include "apps/sdpa/sparse/update_memory.h"
#include "apps/sdpa/tests/sparse_patterns.h"
#include "lwt/pool.h"
#include "tools/random/seeds.h"

namespace sdpa {
namespace {

std::unique_ptr<lwt::Pool> MakePool(int workers) {
  auto pool = lwt::Pool::Create({.workers = workers});
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

// Values whose matrix is positive definite, as the diagonal outweighs the rest of each row.
std::vector<double> RandomValues(const SparsePattern& pattern, std::mt19937_64& random) {
  std::uniform_real_distribution<double> any(-1, 1), positive(0.01, 1);
  std::vector<double> values(pattern.elements()), weights(At(pattern.size()), 0);
  for (int j = 0; j < pattern.size(); ++j) {
    for (std::size_t k = pattern.column_begin[At(j)] + 1; k < pattern.column_begin[At(j) + 1];
         ++k) {
      values[k] = any(random);
      weights[At(j)] += std::abs(values[k]);
      weights[At(pattern.rows[k])] += std::abs(values[k]);
    }
  }
  for (std::size_t j = 0; j < weights.size(); ++j) {
    values[pattern.column_begin[j]] = weights[j] + positive(random);
  }
  return values;
}

std::vector<double> RandomVector(int size, std::mt19937_64& random) {
  std::normal_distribution<double> any;
  std::vector<double> vector(At(size));
  for (double& element : vector) element = any(random);
  return vector;
}

// Row by row, with the columns in that order.
std::vector<double> Dense(const SparsePattern& pattern, const std::vector<double>& values,
                          std::span<const int> order) {
  const std::size_t m = order.size();
  std::vector<std::size_t> places(m);
  for (std::size_t i = 0; i < m; ++i) places[At(order[i])] = i;
  std::vector<double> dense(m * m, 0);
  for (int j = 0; j < pattern.size(); ++j) {
    for (std::size_t k = pattern.column_begin[At(j)]; k < pattern.column_begin[At(j) + 1]; ++k) {
      const std::size_t row = places[At(pattern.rows[k])], column = places[At(j)];
      dense[row * m + column] = dense[column * m + row] = values[k];
    }
  }
  return dense;
}

// L, or as far as it comes; returns the first column whose pivot is not positive.
std::optional<std::size_t> DenseCholesky(std::vector<double>& a, std::size_t m) {
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double factor = a[j * m + k];
      if (factor == 0) continue;
      for (std::size_t i = j; i < m; ++i) a[i * m + j] -= factor * a[i * m + k];
    }
    if (!(a[j * m + j] > 0)) return j;
    const double root = std::sqrt(a[j * m + j]);
    for (std::size_t i = j; i < m; ++i) a[i * m + j] /= root;
  }
  return std::nullopt;
}

// The largest element of A x - b over that of b and x.
double ResidualOf(const SparsePattern& pattern, const std::vector<double>& values,
                  const std::vector<double>& x, std::vector<double> b) {
  double size = 0, residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    size = std::max({size, std::abs(b[i]), std::abs(x[i])});
  }
  for (int j = 0; j < pattern.size(); ++j) {
    for (std::size_t k = pattern.column_begin[At(j)]; k < pattern.column_begin[At(j) + 1]; ++k) {
      const int i = pattern.rows[k];
      b[At(i)] -= values[k] * x[At(j)];
      if (i != j) b[At(j)] -= values[k] * x[At(i)];
    }
  }
  for (const double element : b) {
    if (!std::isfinite(element)) return HUGE_VAL;
    residual = std::max(residual, std::abs(element));
  }
  return residual / size;
}

// What is stored of L on and below its diagonal.
std::vector<double> ElementsOf(const SparseCholesky& cholesky) {
  std::vector<double> elements;
  for (int s = 0; s < cholesky.supernodes().size(); ++s) {
    const std::span<const double> panel = cholesky.panel(s);
    const std::size_t rows = At(cholesky.supernodes().front_rows(s));
    for (std::size_t k = 0; k < panel.size(); ++k) {
      if (k % rows >= k / rows) elements.push_back(panel[k]);
    }
  }
  return elements;
}

class SparseCholeskyTest : public testing::Test {
 protected:
  // By 1, 2 and 7 workers.
  std::optional<int> FactorBy(std::size_t pool, SparseCholesky& cholesky,
                              const std::vector<double>& values) {
    return pools_[pool]->Run([&] { return cholesky.Factor(values); });
  }

  template <typename Check>
  void ForRandomPrograms(std::uint64_t count, const Check& check) {
    const std::uint64_t first = random_programs::FirstSeed(),
                        programs = random_programs::Programs(count);
    std::printf("matrices from VICINITY_RANDOM_SEED=%ju on\n", static_cast<std::uintmax_t>(first));
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      SCOPED_TRACE("VICINITY_RANDOM_PROGRAMS=1 VICINITY_RANDOM_SEED=" + std::to_string(seed));
      std::mt19937_64 random(seed);
      check(random);
      if (testing::Test::HasFailure()) return;
    }
  }

  // What each number of workers computes is the same in every bit.
  void ExpectEqualBits(const SparsePattern& pattern, double least_piece, std::mt19937_64& random) {
    const std::vector<double> values = RandomValues(pattern, random),
                              b = RandomVector(pattern.size(), random);
    std::vector<double> first_elements, first_solution;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      SparseCholesky cholesky = SparseCholesky::Analyze(pattern, least_piece);
      ASSERT_EQ(FactorBy(pool, cholesky, values), std::nullopt);
      std::vector<double> x = b;
      cholesky.Solve(x);
      EXPECT_LE(ResidualOf(pattern, values, x, b), 1e-10);
      const std::vector<double> elements = ElementsOf(cholesky);
      if (pool == 0) {
        first_elements = elements;
        first_solution = x;
        continue;
      }
      ASSERT_EQ(elements.size(), first_elements.size());
      EXPECT_EQ(
          std::memcmp(elements.data(), first_elements.data(), elements.size() * sizeof(double)), 0);
      EXPECT_EQ(std::memcmp(x.data(), first_solution.data(), x.size() * sizeof(double)), 0);
    }
  }

  std::array<std::unique_ptr<lwt::Pool>, 3> pools_ = {MakePool(1), MakePool(2), MakePool(7)};
};

TEST_F(SparseCholeskyTest, HasTheFactorOfADenseOneAndSolves) {
  ForRandomPrograms(200, [&](std::mt19937_64& random) {
    const SparsePattern pattern = RandomPattern(random);
    const double least_piece = static_cast<double>(1 + random() % 20'000);
    SparseCholesky cholesky = SparseCholesky::Analyze(pattern, least_piece);
    // Again with other values, as in a solver's next iteration.
    for (int again = 0; again < 2; ++again) {
      const std::vector<double> values = RandomValues(pattern, random);
      ASSERT_EQ(FactorBy(random() % pools_.size(), cholesky, values), std::nullopt);

      std::vector<double> dense = Dense(pattern, values, cholesky.order());
      const std::size_t m = At(pattern.size());
      ASSERT_EQ(DenseCholesky(dense, m), std::nullopt);
      const Supernodes& supernodes = cholesky.supernodes();
      std::uint64_t stored = 0;
      for (int s = 0; s < supernodes.size(); ++s) {
        const std::span<const double> panel = cholesky.panel(s);
        stored += panel.size();
        const std::size_t columns = At(supernodes.columns(s)), rows = At(supernodes.front_rows(s)),
                          first = At(supernodes.first_column(s));
        for (std::size_t j = 0; j < columns; ++j) {
          for (std::size_t i = j; i < rows; ++i) {
            const std::size_t row =
                i < columns ? first + i : At(supernodes.rows_below(s)[i - columns]);
            const double expected = dense[row * m + first + j];
            EXPECT_NEAR(panel[j * rows + i], expected, 1e-12 * (1 + std::abs(expected)));
          }
        }
      }
      EXPECT_EQ(stored, cholesky.work().factor_elements);

      const std::vector<double> b = RandomVector(pattern.size(), random);
      std::vector<double> x = b;
      cholesky.Solve(x);
      EXPECT_LE(ResidualOf(pattern, values, x, b), 1e-10);
    }
  });
}

TEST_F(SparseCholeskyTest, HasEqualBitsForEachNumberOfWorkers) {
  ForRandomPrograms(60, [&](std::mt19937_64& random) {
    ExpectEqualBits(RandomPattern(random, 200), static_cast<double>(1 + random() % 20'000), random);
  });
}

TEST_F(SparseCholeskyTest, HasEqualBitsWhereFrontsHaveSeveralTiles) {
  std::mt19937_64 random(1);
  ExpectEqualBits(Full(400), kLeastPiece, random);
  ExpectEqualBits(Cliques(700, 300, 50), kLeastPiece, random);
  ExpectEqualBits(Grid(60), kLeastPiece, random);
  ExpectEqualBits(Cliques(5000, 10, 5), 1, random);
}

TEST_F(SparseCholeskyTest, NamesTheColumnWhoseMatrixIsNotPositiveDefinite) {
  ForRandomPrograms(200, [&](std::mt19937_64& random) {
    const SparsePattern pattern = RandomPattern(random);
    const std::size_t m = At(pattern.size());
    SparseCholesky cholesky =
        SparseCholesky::Analyze(pattern, static_cast<double>(1 + random() % 20'000));
    const std::vector<double> good = RandomValues(pattern, random);
    std::vector<double> values = good;
    for (std::size_t bad = 1 + random() % 3; bad > 0; --bad) {
      double& diagonal = values[pattern.column_begin[random() % m]];
      diagonal = random() % 4 == 0 ? 0 : -1;
    }
    std::vector<double> dense = Dense(pattern, values, cholesky.order());
    const std::optional<std::size_t> expected = DenseCholesky(dense, m);
    ASSERT_NE(expected, std::nullopt);
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      EXPECT_EQ(FactorBy(pool, cholesky, values), cholesky.order()[*expected]);
    }
    ASSERT_EQ(FactorBy(1, cholesky, good), std::nullopt) << "after it has failed once";
    std::vector<double> x(m, 1);
    cholesky.Solve(x);
    EXPECT_LE(ResidualOf(pattern, good, x, std::vector<double>(m, 1)), 1e-10);
  });
}

TEST_F(SparseCholeskyTest, RefusesWhatIsNoNumberAndInfinity) {
  ForRandomPrograms(200, [&](std::mt19937_64& random) {
    const SparsePattern pattern = RandomPattern(random);
    SparseCholesky cholesky =
        SparseCholesky::Analyze(pattern, static_cast<double>(1 + random() % 20'000));
    std::vector<double> values = RandomValues(pattern, random);
    const double infinity = std::numeric_limits<double>::infinity();
    const std::array<double, 3> bad = {std::numeric_limits<double>::quiet_NaN(), infinity,
                                       -infinity};
    values[random() % values.size()] = bad[random() % bad.size()];
    EXPECT_NE(FactorBy(random() % pools_.size(), cholesky, values), std::nullopt);
  });
  // In a front for LAPACK, too.
  std::mt19937_64 random(1);
  const SparsePattern full = Full(200);
  SparseCholesky cholesky = SparseCholesky::Analyze(full);
  for (const std::size_t element : {std::size_t{0}, std::size_t{150}, full.elements() - 1}) {
    std::vector<double> values = RandomValues(full, random);
    values[element] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(FactorBy(1, cholesky, values), std::nullopt);
  }
}

TEST(UpdateMemory, KeepsLargePiecesButHoldsNoMoreThanWasUsedAtATime) {
  UpdateMemory memory;
  UpdateMemory::Piece piece = memory.Take(100'000);
  const double* const first = piece.get();
  piece.reset();
  EXPECT_EQ(memory.held(), 100'000u);
  piece = memory.Take(90'000);
  EXPECT_EQ(piece.get(), first);
  piece.reset();
  piece = memory.Take(20'000);  // too small a piece for so large a one
  EXPECT_NE(piece.get(), first);
  EXPECT_EQ(memory.held(), 20'000u);
  piece.reset();

  std::mt19937_64 random(1);
  std::vector<UpdateMemory::Piece> pieces(20);
  for (int step = 0; step < 1000; ++step) {
    UpdateMemory::Piece& at = pieces[random() % pieces.size()];
    at.reset();
    if (random() % 3 != 0) {
      const std::size_t elements = 1 + random() % 50'000;
      at = memory.Take(elements);
      at[0] = at[elements - 1] = step;
    }
    ASSERT_LE(memory.held(), memory.most_used());
  }
  pieces.clear();
  EXPECT_GT(memory.held(), 0u);
}

TEST_F(SparseCholeskyTest, SolvesOneEquationAndNone) {
  SparseCholesky one = SparseCholesky::Analyze(PatternOf(1, {}));
  EXPECT_EQ(one.size(), 1);
  ASSERT_EQ(FactorBy(0, one, {4}), std::nullopt);
  std::vector<double> x = {2};
  one.Solve(x);
  EXPECT_EQ(x[0], 0.5);
  EXPECT_EQ(FactorBy(0, one, {-4}), 0);

  SparseCholesky none = SparseCholesky::Analyze({});
  EXPECT_EQ(none.work().factor_elements, 0u);
  EXPECT_EQ(FactorBy(0, none, {}), std::nullopt);
  none.Solve({});
}

}  // namespace
}  // namespace sdpa
