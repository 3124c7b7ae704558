// Both ways to store the Schur complement's matrix, against the elements of the paper's figure 14
// and a factorization by one thread.
#include "apps/sdpa/schur/schur.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/dense.h"
#include "apps/sdpa/schur/make.h"
#include "apps/sdpa/schur/plain.h"
#include "apps/sdpa/schur/sparse.h"
#include "apps/sdpa/tests/random_matrices.h"
#include "apps/sdpa/tests/schur_case.h"
#include "taskrt/devices.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// In virtual time, as the program does it.
std::unique_ptr<taskrt::Runtime> WithSimulatedDevices(int count) {
  UseOneThread();
  taskrt::RuntimeOptions options;
  options.pool.workers = 2;
  options.pool.simulation = lwt::SimulationOptions{.costs = {.look_ns = 2000}};
  options.devices = taskrt::MakeDevices({.simulated = count}, {}).devices;
  auto runtime = taskrt::Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  return *std::move(runtime);
}

// B by figure 14, all elements.
std::vector<double> PlainOf(taskrt::Runtime& runtime, const Case<double>& one) {
  const std::size_t m = one.size();
  std::vector<double> b(m * m);
  runtime.Run([&](taskrt::Runtime&) {
    PlainSchur(one.problem, *one.layout, one.y, one.inverse, b);
    return 0;
  });
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[j * m + i] = b[i * m + j];
  }
  return b;
}

double LargestOf(const std::vector<double>& vector) {
  double largest = 0;
  for (const double element : vector) largest = std::max(largest, std::abs(element));
  return largest;
}

// B (1 + shift on the diagonal) x - right.
double ResidualOf(const std::vector<double>& b, double shift, const std::vector<double>& x,
                  const std::vector<double>& right) {
  const std::size_t m = x.size();
  double largest = 0;
  for (std::size_t i = 0; i < m; ++i) {
    long double sum = -static_cast<long double>(right[i]);
    for (std::size_t j = 0; j < m; ++j) {
      sum += static_cast<long double>(b[i * m + j]) * (i == j ? 1 + shift : 1) * x[j];
    }
    const auto size = static_cast<double>(std::abs(sum));
    if (!(size <= largest)) largest = size;
  }
  return largest;
}

void ExpectElementsAndSolutions(taskrt::Runtime& runtime, const Problem& problem, SchurKind kind) {
  const Case<double> one(problem, 1);
  const std::size_t m = one.size();
  const std::vector<double> b = PlainOf(runtime, one);
  runtime.Run([&](taskrt::Runtime& rt) {
    const auto schur = MadeSchur<double>(rt, one.columns, kind);
    EXPECT_TRUE(kind == SchurKind::kChosen || schur->is_sparse() == (kind == SchurKind::kSparse));
    EXPECT_TRUE(schur->Compute(one.y, one.inverse).ok());
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        EXPECT_NEAR(schur->at(i, j), b[i * m + j], 1e-10 * std::sqrt(b[i * m + i] * b[j * m + j]));
      }
    }
    // Factored again and again, with and without a larger diagonal.
    for (const double shift : {0.0, 0.25, 0.0}) {
      const absl::Status factored = schur->Factor(one.y, one.inverse, shift);
      EXPECT_TRUE(factored.ok()) << factored;
      std::vector<double> x = one.right;
      schur->Solve(x);
      EXPECT_LT(ResidualOf(b, shift, x, one.right), 1e-10 * (1 + LargestOf(b) * LargestOf(x)));
      std::vector<double> factor = b, expected = one.right;
      const auto view = Square(std::span<double>(factor), static_cast<int>(m));
      for (std::size_t i = 0; i < m; ++i) factor[i * m + i] *= 1 + shift;
      EXPECT_TRUE(FactorCholesky(view));
      SolveVector(Matrix<const double>(view), Op::kPlain, std::span<double>(expected));
      SolveVector(Matrix<const double>(view), Op::kTransposed, std::span<double>(expected));
      for (std::size_t i = 0; i < m; ++i) {
        EXPECT_NEAR(x[i], expected[i], 1e-6 * LargestOf(expected)) << i;
      }
    }
    EXPECT_GT(schur->seconds().elements, 0);
    EXPECT_GT(schur->seconds().cholesky, 0);
    return 0;
  });
}

TEST(Tiling, CoversTheMatrixWithLittleThatIsFilledUp) {
  for (std::size_t m = 1; m < 30000; m += m < 2000 ? 1 : 97) {
    const Tiling tiling = Tiling::Of(m);
    const auto rows =
        static_cast<std::size_t>(tiling.side) * static_cast<std::size_t>(tiling.count);
    ASSERT_GE(rows, m);
    ASSERT_LT(rows, m + 8 * static_cast<std::size_t>(tiling.count)) << m;
    ASSERT_EQ(tiling.side % 8, 0);
  }
}

// Smaller than a tile, as large, larger, and several.
TEST(DenseSchur, HasTheElementsAndSolutionsOfFigure14) {
  const auto runtime = RuntimeOf(2);
  for (const std::size_t m : {1, 2, 7, 8, 63, 64, 65, 128, 129, 200}) {
    ExpectElementsAndSolutions(*runtime, Dense(m), SchurKind::kDense);
    EXPECT_FALSE(HasFailure()) << m << " constraints";
  }
  ExpectElementsAndSolutions(*runtime, Sparse(60), SchurKind::kDense);
}

// 12 tiles of 72 rows, of which the last is filled up whole.
TEST(DenseSchur, ATileMayLieBeyondTheMatrix) {
  constexpr int kRows = 769;
  ASSERT_LT((Tiling::Of(kRows).count - 1) * Tiling::Of(kRows).side, 800);
  ASSERT_GT((Tiling::Of(kRows).count - 1) * Tiling::Of(kRows).side, kRows);
  Problem problem = {.blocks = {{Shape::kDiagonal, kRows}},
                     .costs = std::vector<double>(kRows, 1),
                     .matrices = {{}}};
  for (int i = 0; i < kRows; ++i) {
    problem.matrices.push_back({{0, {{i, i, 1.0}}}});
    if (i + 1 < kRows) problem.matrices.back()[0].elements.push_back({i + 1, i + 1, 0.5});
  }
  const Case<double> one(problem, 1);
  RuntimeOf(2)->Run([&](taskrt::Runtime& rt) {
    DenseSchur<double> schur(rt, one.columns);
    SparseSchur sparse(rt.pool(), one.columns, *SparsePatternOf(one.columns),
                       SparseCholesky::Analyze(*SparsePatternOf(one.columns)));
    EXPECT_TRUE(schur.Factor(one.y, one.inverse, 0).ok());
    EXPECT_TRUE(sparse.Factor(one.y, one.inverse, 0).ok());
    std::vector<double> x = one.right, other = one.right;
    schur.Solve(x);
    sparse.Solve(other);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], other[i], 1e-9 * LargestOf(x));
    return 0;
  });
}

TEST(SparseSchur, HasTheElementsAndSolutionsOfFigure14) {
  const auto runtime = RuntimeOf(2);
  for (const int m : {1, 2, 60, 150}) {
    ExpectElementsAndSolutions(*runtime, Sparse(m), SchurKind::kSparse);
    EXPECT_FALSE(HasFailure()) << m << " constraints";
  }
  ExpectElementsAndSolutions(*runtime, Dense(70), SchurKind::kSparse);
  ExpectElementsAndSolutions(*runtime, Made("material:blocks=16"), SchurKind::kSparse);
  ExpectElementsAndSolutions(*runtime, Made("material:blocks=36"), SchurKind::kChosen);
}

TEST(DenseSchur, OfPairsOfDoublesSolvesToTheirDigits) {
  const Case<DoubleDouble> one(Dense(70), 1);
  const std::size_t m = one.size();
  RuntimeOf(2)->Run([&](taskrt::Runtime& rt) {
    const auto schur = MadeSchur<DoubleDouble>(rt, one.columns, SchurKind::kChosen);
    EXPECT_FALSE(schur->is_sparse());
    EXPECT_TRUE(schur->Compute(one.y, one.inverse).ok());
    std::vector<DoubleDouble> b(m * m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j <= i; ++j) b[i * m + j] = b[j * m + i] = schur->at(i, j);
    }
    EXPECT_TRUE(schur->Factor(one.y, one.inverse, 0).ok());
    std::vector<DoubleDouble> x = one.right;
    schur->Solve(x);
    for (std::size_t i = 0; i < m; ++i) {
      DoubleDouble sum = -one.right[i];
      for (std::size_t j = 0; j < m; ++j) sum += b[i * m + j] * x[j];
      EXPECT_LT(std::abs(static_cast<double>(sum)), 1e-24);
    }
    return 0;
  });
}

// Elements of B after Compute, and x.
template <typename Real>
std::vector<Real> NumbersOf(taskrt::Runtime& runtime, const Case<Real>& one, SchurKind kind) {
  return runtime.Run([&](taskrt::Runtime& rt) {
    const auto schur = MadeSchur<Real>(rt, one.columns, kind);
    EXPECT_TRUE(schur->Compute(one.y, one.inverse).ok());
    std::vector<Real> numbers;
    for (std::size_t i = 0; i < one.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) numbers.push_back(schur->at(i, j));
    }
    EXPECT_TRUE(schur->Factor(one.y, one.inverse, 1e-3).ok());
    std::vector<Real> x = one.right;
    schur->Solve(x);
    numbers.insert(numbers.end(), x.begin(), x.end());
    return numbers;
  });
}

template <typename Real>
void ExpectTheSameBits(const Problem& problem, SchurKind kind) {
  const Case<Real> one(problem, 3);
  const std::vector<Real> by_one = NumbersOf(*RuntimeOf(1), one, kind);
  for (const int workers : {2, 7}) {
    EXPECT_EQ(NumbersOf(*RuntimeOf(workers), one, kind), by_one) << workers << " workers";
  }
}

TEST(Schur, IsTheSameInEveryBitForAnyNumberOfWorkers) {
  ExpectTheSameBits<double>(Dense(130), SchurKind::kDense);
  ExpectTheSameBits<double>(Sparse(150), SchurKind::kDense);
  ExpectTheSameBits<double>(Sparse(150), SchurKind::kSparse);
  ExpectTheSameBits<DoubleDouble>(Dense(66), SchurKind::kDense);
}

// The matrix of the second constraint twice, or no number in Y.
TEST(Schur, AMatrixThatIsNotPositiveDefiniteIsRefusedAndTheNextIsNot) {
  Problem twice = {
      .blocks = {{Shape::kDense, 2}},
      .costs = {1, 1, 1},
      .matrices = {{}, {{0, {{0, 0, 1.0}}}}, {{0, {{1, 1, 1.0}}}}, {{0, {{1, 1, 1.0}}}}}};
  const auto runtime = RuntimeOf(2);
  for (const SchurKind kind : {SchurKind::kDense, SchurKind::kSparse}) {
    runtime->Run([&](taskrt::Runtime& rt) {
      const auto layout = std::make_shared<const Layout>(twice.blocks);
      const Columns columns(twice, layout);
      const std::vector<double> identity = {1, 0, 0, 1}, nan = {1, kNaN, kNaN, 1};
      const auto schur = MadeSchur<double>(rt, columns, kind);
      const absl::Status refused = schur->Factor(identity, identity, 0);
      EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
      EXPECT_TRUE(absl::IsFailedPrecondition(schur->Factor(nan, identity, 0)));
      EXPECT_TRUE(schur->Factor(identity, identity, 1e-8).ok()) << "with a larger diagonal";
      EXPECT_TRUE(absl::IsFailedPrecondition(schur->Factor(identity, identity, 0))) << "again";
      return 0;
    });
    // In any tile.
    for (const std::size_t column : {0, 60, 100, 129}) {
      Case<double> one(Dense(130), 1);
      runtime->Run([&](taskrt::Runtime& rt) {
        const auto schur = MadeSchur<double>(rt, one.columns, kind);
        std::vector<double> wrong = one.y;
        wrong[column] = kNaN;
        EXPECT_TRUE(absl::IsFailedPrecondition(schur->Factor(wrong, one.inverse, 0)));
        EXPECT_TRUE(schur->Factor(one.y, one.inverse, 0).ok());
        return 0;
      });
    }
    ExpectElementsAndSolutions(*runtime, Sparse(40), kind);
  }
}

// Its element of B would be 0, and the others' solutions are what they are without it.
TEST(Schur, AnEmptyMatrixIsAnEquationForItself) {
  Problem problem = Sparse(30);
  problem.matrices.insert(problem.matrices.begin() + 5, SparseMatrix{});
  problem.costs.push_back(0);
  const Case<double> one(problem, 1), without(Sparse(30), 1);
  const auto runtime = RuntimeOf(2);
  for (const SchurKind kind : {SchurKind::kDense, SchurKind::kSparse}) {
    runtime->Run([&](taskrt::Runtime& rt) {
      const auto schur = MadeSchur<double>(rt, one.columns, kind),
                 other = MadeSchur<double>(rt, without.columns, kind);
      EXPECT_TRUE(schur->Factor(one.y, one.inverse, 0).ok());
      EXPECT_TRUE(other->Factor(without.y, without.inverse, 0).ok());
      std::vector<double> x = without.right, y = x;
      x.push_back(0);  // the emptiest is the last
      schur->Solve(x);
      other->Solve(y);
      EXPECT_EQ(x.back(), 0);
      for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-9 * LargestOf(y));
      return 0;
    });
  }
}

// All tasks of the factorization are the device's, and the elements' are the host's: each tile goes
// there once and comes back once, in each factorization.
TEST(DenseSchur, OnADeviceEachTileGoesAndComesOnce) {
  const Case<double> one(Dense(150), 1);
  const auto runtime = WithSimulatedDevices(1);
  const auto tiles = Tiling::Of(150).tiles();
  ASSERT_EQ(tiles, 6u);
  runtime->Run([&](taskrt::Runtime& rt) {
    DenseSchur<double> schur(rt, one.columns);
    for (const std::uint64_t times : {1, 2, 3}) {
      EXPECT_TRUE(schur.Factor(one.y, one.inverse, 0).ok());
      const taskrt::RuntimeCounts counts = rt.counts();
      EXPECT_EQ(counts.copies.h2d.copies, times * tiles);
      EXPECT_EQ(counts.copies.d2h.copies, times * tiles);
      EXPECT_EQ(counts.copies.d2d.copies, 0u);
      EXPECT_EQ(counts.least.copies, 2 * times * tiles);
      EXPECT_EQ(counts.tasks_on_devices, times * 10) << "3 potrf, 3 trsm, 3 syrk and a gemm";
      EXPECT_EQ(counts.tasks, times * 13) << "and a task of elements for each row of tiles";
    }
    EXPECT_TRUE(schur.Compute(one.y, one.inverse).ok());
    EXPECT_EQ(rt.counts().copies.h2d.copies, 3 * tiles) << "elements alone need no device";
    return 0;
  });
}

void ExpectOnDevicesWhatIsOnTheHost(const Problem& problem, int devices) {
  const Case<double> one(problem, 3);
  const auto runtime = WithSimulatedDevices(devices);
  EXPECT_EQ(NumbersOf(*runtime, one, SchurKind::kDense),
            NumbersOf(*RuntimeOf(2), one, SchurKind::kDense))
      << problem.constraints() << ", " << devices;
  const taskrt::RuntimeCounts counts = runtime->counts();
  EXPECT_EQ(counts.copies.h2d.copies + counts.copies.d2h.copies + counts.copies.d2d.copies,
            counts.least.copies);
  EXPECT_GT(counts.tasks_on_devices, 0u);
}

TEST(DenseSchur, OnDevicesIsWhatItIsOnTheHostInEveryBit) {
  for (const std::size_t m : {1, 64, 150, 260}) {
    for (const int devices : {1, 2, 3}) ExpectOnDevicesWhatIsOnTheHost(Dense(m), devices);
  }
}

// Of which the first task of a row computes more than it declares.
TEST(DenseSchur, RowsOfMoreTilesThanATaskHasAccessesAreWhatTheyAreOnTheHost) {
  constexpr std::size_t kRows = 520;
  ASSERT_GT(Tiling::Of(kRows).count, 8);
  std::mt19937_64 random(1);
  const Problem problem =
      MatricesOfShape(random, MatrixShape::kDense, {{Shape::kDense, 26}}, kRows);
  ExpectOnDevicesWhatIsOnTheHost(problem, 2);
}

TEST(DenseSchur, OnDevicesRefusesWhatIsNotPositiveDefiniteAndGoesOn) {
  const Case<double> one(Dense(150), 1);
  const auto runtime = WithSimulatedDevices(2);
  runtime->Run([&](taskrt::Runtime& rt) {
    DenseSchur<double> schur(rt, one.columns);
    std::vector<double> wrong = one.y;
    wrong[40] = kNaN;
    for (int times = 0; times < 3; ++times) {
      EXPECT_TRUE(absl::IsFailedPrecondition(schur.Factor(wrong, one.inverse, 0)));
      EXPECT_TRUE(schur.Factor(one.y, one.inverse, 0).ok());
      std::vector<double> x = one.right;
      schur.Solve(x);
      for (const double element : x) EXPECT_TRUE(std::isfinite(element));
    }
    return 0;
  });
}

}  // namespace
}  // namespace sdpa
