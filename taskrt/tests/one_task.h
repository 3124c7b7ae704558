// The blocks of one task of a Cholesky factorization, and what OpenBLAS makes of them: what other
// kernels are compared with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "taskrt/tests/factorize.h"
#include "taskrt/tile.h"
#include "taskrt/workloads/cholesky_kernels.h"
#include "taskrt/workloads/cholesky_tasks.h"

namespace taskrt {

// A value: blocks of b by b, positive definite where they have to be.
template <typename T>
struct OneTask {
  OneTask(cholesky::Kernel which, int b) : kind(which), side(b), scalars{.side = b} {
    std::mt19937 random(11);
    std::uniform_real_distribution<T> number(-1, 1);
    const std::size_t count = kind == cholesky::Kernel::kPotrf  ? 1
                              : kind == cholesky::Kernel::kGemm ? 3
                                                                : 2;
    blocks.assign(count, MakeMatrix<T>(side));
    for (std::size_t i = 1; i < count; ++i)
      std::ranges::generate(blocks[i], [&] { return number(random); });
  }
  std::vector<Tile> Tiles() {
    std::vector<Tile> tiles;
    const std::uint64_t rows = static_cast<std::uint64_t>(side), row_bytes = rows * sizeof(T);
    for (std::vector<T>& block : blocks) {
      tiles.push_back({reinterpret_cast<std::byte*>(block.data()), rows, row_bytes, row_bytes});
    }
    return tiles;
  }
  std::span<const std::byte> Scalars() const { return std::as_bytes(std::span(&scalars, 1)); }
  T& Diagonal(int i) { return blocks.back()[static_cast<std::size_t>(i * (side + 1))]; }

  cholesky::Kernel kind;
  int side;
  cholesky::TaskScalars scalars;
  std::vector<std::vector<T>> blocks;
};

// That `compute(task)` makes of the last block what OpenBLAS does, in the upper triangle where the
// task is of that.
template <typename T, typename Compute>
void ExpectAsOpenBlas(cholesky::Kernel kind, int side, Compute compute) {
  SCOPED_TRACE(testing::Message() << NameOf(kind) << " of " << side << ", " << sizeof(T)
                                  << " bytes");
  OneTask<T> expected(kind, side), task(kind, side);
  ASSERT_TRUE(BodyOf(kind, kPrecisionOf<T>)(expected.Tiles(), expected.Scalars()).ok());
  compute(task);
  const bool is_triangle = kind == cholesky::Kernel::kPotrf || kind == cholesky::Kernel::kSyrk;
  double worst = 0, largest = 0;
  for (int row = 0; row < side; ++row) {
    for (int column = is_triangle ? row : 0; column < side; ++column) {
      const auto at = static_cast<std::size_t>(row * side + column);
      const double right = expected.blocks.back()[at], got = task.blocks.back()[at];
      largest = std::max(largest, std::abs(right));
      worst = std::isnan(got) ? INFINITY : std::max(worst, std::abs(right - got));
    }
  }
  EXPECT_LT(worst / largest, sizeof(T) == 4 ? 2e-6 : 4e-15);
  // All but the last are read only.
  for (std::size_t i = 0; i + 1 < task.blocks.size(); ++i) {
    EXPECT_EQ(task.blocks[i], expected.blocks[i]);
  }
}

// Calls `expect(kind, side, T{})` for all four, some sides and both precisions.
template <typename Expect>
void ForEachKindSideAndPrecision(Expect expect) {
  for (int which = 0; which < 4; ++which) {
    for (const int side : {32, 64, 100}) {
      expect(static_cast<cholesky::Kernel>(which), side, float{});
      expect(static_cast<cholesky::Kernel>(which), side, double{});
    }
  }
}

}  // namespace taskrt
