// Problems of which tests make a Schur complement's matrix.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/sdpa/elements/columns.h"
#include "apps/sdpa/elements/order.h"
#include "apps/sdpa/generate/generate.h"
#include "apps/sdpa/linear/blas.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/make.h"
#include "apps/sdpa/tests/random_matrices.h"
#include "taskrt/runtime.h"

namespace sdpa {

template <typename Real>
std::unique_ptr<SchurComplement<Real>> MadeSchur(taskrt::Runtime& runtime, const Columns& columns,
                                                 SchurKind kind) {
  auto made = MakeSchur<Real>(runtime, columns, kind, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

inline std::unique_ptr<taskrt::Runtime> RuntimeOf(int workers) {
  UseOneThread();
  taskrt::RuntimeOptions options;
  options.pool.workers = workers;
  auto runtime = taskrt::Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  return *std::move(runtime);
}

// A problem, Y, X^-1 and a right-hand side.
template <typename Real>
struct Case {
  Case(const Problem& of, std::uint64_t seed)
      : random(seed),
        problem(Reordered(of, FullestFirst(of))),
        layout(std::make_shared<const Layout>(problem.blocks)),
        columns(problem, layout),
        y(RandomPositive<Real>(random, *layout)),
        inverse(RandomPositive<Real>(random, *layout)) {
    std::normal_distribution<double> value;
    for (std::size_t i = 0; i < size(); ++i) right.push_back(value(random));
  }

  std::size_t size() const { return problem.constraints(); }

  std::mt19937_64 random;
  Problem problem;
  std::shared_ptr<const Layout> layout;
  Columns columns;
  std::vector<Real> y, inverse, right;
};

// As many constraints as wanted, all independent: as long as these are fewer than the elements of
// all blocks' triangles.
inline Problem Dense(std::size_t m) {
  std::mt19937_64 random(m);
  const int rows = 2 + static_cast<int>(std::sqrt(2.0 * static_cast<double>(m)));
  return MatricesOfShape(random, MatrixShape::kDense,
                         {{Shape::kDense, rows}, {Shape::kDiagonal, 3}}, m);
}

inline Problem Made(const std::string& text) {
  const auto made = Generate(text);
  EXPECT_TRUE(made.ok()) << made.status();
  return made->problem;
}

// Few pairs of constraints share a block.
inline Problem Sparse(int m) {
  return Made("random:blocks=3x40+d6+4x9,touched=2,m=" + std::to_string(m));
}

}  // namespace sdpa
