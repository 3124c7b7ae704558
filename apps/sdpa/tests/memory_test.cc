// What is taken from the heap, counted by operators new and delete of this program's own.
#include "apps/sdpa/elements/memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/elements/order.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/linear/aggregate.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/sparse.h"
#include "apps/sdpa/tests/random_matrices.h"

namespace {

std::atomic<std::size_t> taken{0}, most_taken{0};

// Null: there is no memory.
void* TakeIfThere(std::size_t bytes) {
  void* const piece = std::malloc(bytes);
  if (piece == nullptr) return nullptr;
  const std::size_t now = taken.fetch_add(malloc_usable_size(piece)) + malloc_usable_size(piece);
  std::size_t most = most_taken.load();
  while (most < now && !most_taken.compare_exchange_weak(most, now)) {
  }
  return piece;
}

void* Take(std::size_t bytes) {
  void* const piece = TakeIfThere(bytes);
  if (piece == nullptr) throw std::bad_alloc();
  return piece;
}

void Return(void* piece) {
  if (piece != nullptr) taken.fetch_sub(malloc_usable_size(piece));
  std::free(piece);
}

}  // namespace

void* operator new(std::size_t bytes) { return Take(bytes); }
void* operator new[](std::size_t bytes) { return Take(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return TakeIfThere(bytes); }
void operator delete(void* piece) noexcept { Return(piece); }
void operator delete[](void* piece) noexcept { Return(piece); }
void operator delete(void* piece, std::size_t) noexcept { Return(piece); }
void operator delete[](void* piece, std::size_t) noexcept { Return(piece); }

namespace sdpa {
namespace {

// A value: bytes, beside what was there before.
struct Taken {
  double left = 0;  // while what `make` gives is still there
  double most = 0;
};

template <typename Make>
Taken TakenBy(const Make& make) {
  const std::size_t before = taken.load();
  most_taken.store(before);
  const auto made = make();
  return {.left = static_cast<double>(taken.load() - before),
          .most = static_cast<double>(most_taken.load() - before)};
}

Problem Made(const std::string& text) {
  const auto made = Generate(text);
  EXPECT_TRUE(made.ok()) << made.status();
  return made->problem;
}

void ExpectThatColumnsAreCounted(const Problem& problem, double most_times) {
  const auto layout = std::make_shared<const Layout>(problem.blocks);
  const Taken took = TakenBy([&] {
    auto ordered = std::make_unique<Problem>(Reordered(problem, FullestFirst(problem)));
    auto columns = std::make_unique<Columns>(*ordered, layout);
    return std::pair(std::move(ordered), std::move(columns));
  });
  EXPECT_GE(BytesOfColumns(problem), took.left);
  EXPECT_LE(BytesOfColumns(problem), took.left * most_times);
}

TEST(BytesOfColumns, AreNoLessThanWhatTheyTakeNorManyTimesAsMuch) {
  std::mt19937_64 random(1);
  const std::vector<Block> blocks = {
      {Shape::kDense, 30}, {Shape::kDiagonal, 50}, {Shape::kDense, 11}};
  for (int shape = 1; shape < kMatrixShapes; ++shape) {
    ExpectThatColumnsAreCounted(
        MatricesOfShape(random, static_cast<MatrixShape>(shape), blocks, 200), 6);
    EXPECT_FALSE(HasFailure()) << "shape " << shape;
  }
  ExpectThatColumnsAreCounted(RandomMatrices(random, blocks, 300), 3);
  for (const char* const family : {"theta-200", "control:n=10", "material:blocks=64", "qap:n=7"}) {
    ExpectThatColumnsAreCounted(Made(family), 4);
    EXPECT_FALSE(HasFailure()) << family;
  }
}

// 100 matrices of 5,000 elements each.
TEST(Aggregate, TakesAByteForEachElementOfABlockHoweverManyMatricesThereAre) {
  std::mt19937_64 random(1);
  constexpr int kRows = 100;
  const Problem problem = MatricesOfShape(random, MatrixShape::kDense,
                                          {{Shape::kDense, kRows}, {Shape::kDense, 50}}, 100);
  const Layout layout(problem.blocks);
  const Taken took = TakenBy([&] { return Aggregate(problem, layout); });
  EXPECT_LT(took.most, 1.5 * kRows * kRows);
}

// Constraints that share all their variables, so that each row is found as often as there are.
TEST(SparsePatternOf, TakesWhatThePatternDoes) {
  std::mt19937_64 random(1);
  constexpr std::size_t kConstraints = 100;
  const Problem problem =
      MatricesOfShape(random, MatrixShape::kDiagonal, {{Shape::kDiagonal, 500}}, kConstraints);
  const Columns columns(problem, std::make_shared<const Layout>(problem.blocks));
  const Taken took = TakenBy([&] { return SparsePatternOf(columns); });
  // With a vector that grows, and what each row remembers.
  EXPECT_LT(took.most, 3.1 * sizeof(int) * kConstraints * (kConstraints + 1) / 2 + 5000);
  const Taken stopped = TakenBy([&] { return SparsePatternOf(columns, 1000); });
  EXPECT_LT(stopped.most, 1000);
}

}  // namespace
}  // namespace sdpa
