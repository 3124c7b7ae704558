// How the Schur complement's matrix is stored: sparse where that is less work, and only what there
// is memory for.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/dense.h"
#include "apps/sdpa/schur/make.h"
#include "apps/sdpa/schur/sparse.h"
#include "apps/sdpa/tests/random_matrices.h"
#include "apps/sdpa/tests/schur_case.h"
#include "taskrt/runtime.h"

namespace sdpa {
namespace {

TEST(MakeSchur, IsSparseWhereThatIsLessWork) {
  const auto runtime = RuntimeOf(1);
  const auto is_sparse = [&](const Problem& problem) {
    const Case<double> one(problem, 1);
    return runtime->Run([&](taskrt::Runtime& rt) {
      return MadeSchur<double>(rt, one.columns, SchurKind::kChosen)->is_sparse();
    });
  };
  EXPECT_TRUE(is_sparse(Made("material:blocks=400")));
  EXPECT_FALSE(is_sparse(Dense(100)));
  EXPECT_FALSE(is_sparse(Made("theta:cycle,n=9")));
}

TEST(SparsePatternOf, IsNoneWhereItHasMoreElementsThanIsWanted) {
  const Case<double> dense(Dense(20), 1), sparse(Sparse(60), 1);
  EXPECT_FALSE(SparsePatternOf(dense.columns, MostOfSparse(20)));
  ASSERT_TRUE(SparsePatternOf(dense.columns));
  EXPECT_EQ(SparsePatternOf(dense.columns)->elements(), 20u * 21 / 2);
  ASSERT_TRUE(SparsePatternOf(sparse.columns));
  const std::size_t elements = SparsePatternOf(sparse.columns)->elements();
  EXPECT_LT(elements, 60u * 61 / 2);
  EXPECT_TRUE(SparsePatternOf(sparse.columns, elements));
  EXPECT_FALSE(SparsePatternOf(sparse.columns, elements - 1));
}

// A linear program whose constraints have all variables: found out without looking at any column.
TEST(SparsePatternOf, OfOneVariableInAllConstraintsIsKnownToBeFull) {
  std::mt19937_64 random(1);
  const Case<double> one(
      MatricesOfShape(random, MatrixShape::kDiagonal, {{Shape::kDiagonal, 7}}, 50), 1);
  EXPECT_EQ(one.columns.most_sharing(), 50u);
  EXPECT_FALSE(SparsePatternOf(one.columns, 50 * 51 / 2 - 1));
  EXPECT_EQ(SparsePatternOf(one.columns)->elements(), 50u * 51 / 2);
}

absl::Status MadeWith(taskrt::Runtime& runtime, const Columns& columns, SchurKind kind,
                      double most_bytes) {
  return MakeSchur<double>(runtime, columns, kind, most_bytes).status();
}

// The pattern of this one would take 80 kB, and AMD some times as much.
TEST(MakeSchur, APatternThatMemoryIsTooSmallForIsRefusedBeforeItIsThere) {
  const Case<double> one(Dense(200), 1);
  const auto runtime = RuntimeOf(1);
  const double scratch = 8.0 * static_cast<double>(one.columns.scratch_elements() + 200);
  const absl::Status refused = MadeWith(*runtime, one.columns, SchurKind::kSparse, scratch + 5e5);
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_NE(refused.message().find("sparse"), std::string::npos) << refused;
  EXPECT_TRUE(MadeWith(*runtime, one.columns, SchurKind::kSparse, scratch + 1.5e6).ok());
  // Where it may be chosen, what is too large is the dense one.
  EXPECT_TRUE(MadeWith(*runtime, one.columns, SchurKind::kChosen, scratch + 5e5).ok());
  const absl::Status dense = MadeWith(*runtime, one.columns, SchurKind::kChosen, scratch + 1e5);
  EXPECT_TRUE(absl::IsResourceExhausted(dense)) << dense;
}

// Matrices of full rank in a block of 40 rows: a worker's scratch is larger than a matrix of 30.
TEST(MakeSchur, TheWorkersScratchIsCounted) {
  std::mt19937_64 random(1);
  const Case<double> one(MatricesOfShape(random, MatrixShape::kDense, {{Shape::kDense, 40}}, 30),
                         1);
  const double scratch = 8.0 * static_cast<double>(one.columns.scratch_elements() + 30);
  const Tiling tiling = Tiling::Of(30);
  const double matrix = 8.0 * static_cast<double>(tiling.tiles() * tiling.elements_of_tile());
  EXPECT_GE(scratch, 8.0 * 3 * 40 * 40);
  for (const int workers : {1, 3}) {
    const auto runtime = RuntimeOf(workers);
    const double all = matrix + workers * scratch;
    EXPECT_TRUE(MadeWith(*runtime, one.columns, SchurKind::kDense, all).ok());
    EXPECT_TRUE(
        absl::IsResourceExhausted(MadeWith(*runtime, one.columns, SchurKind::kDense, all - 1)));
  }
}

}  // namespace
}  // namespace sdpa
