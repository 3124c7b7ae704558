#include "apps/sdpa/generate/qap.h"

#include <cstddef>
#include <vector>

#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix RandomSymmetric(int n, Random& random) {
  const auto size = static_cast<std::size_t>(n);
  Matrix matrix(size, std::vector<double>(size, 0));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) matrix[i][j] = matrix[j][i] = random.Below(10);
  }
  return matrix;
}

// (-1 + the sum of the elements)^2.
SparseMatrix SquareOfSum(const std::vector<int>& elements) {
  MatrixBuilder matrix;
  matrix.Add(0, 0, 0, 1);
  for (const int p : elements) {
    matrix.Add(0, 0, p, -1);
    for (const int q : elements) {
      if (p <= q) matrix.Add(0, p, q, 1);
    }
  }
  return matrix.Build();
}

}  // namespace

Problem QuadraticAssignment(int n, std::uint64_t seed) {
  Random random(seed);
  const Matrix flows = RandomSymmetric(n, random), distances = RandomSymmetric(n, random);
  const auto place = [n](int i, int k) { return 1 + i * n + k; };
  Problem problem = {.blocks = {BlockOfRows(n * n + 1)}, .costs = {}, .matrices = {}};
  const auto constrain = [&](SparseMatrix matrix, double cost) {
    problem.matrices.push_back(std::move(matrix));
    problem.costs.push_back(cost);
  };

  MatrixBuilder objective;
  for (int p = 0; p < n * n; ++p) {
    for (int q = p + 1; q < n * n; ++q) {
      objective.Add(
          0, 1 + p, 1 + q,
          -flows[static_cast<std::size_t>(p / n)][static_cast<std::size_t>(q / n)] *
              distances[static_cast<std::size_t>(p % n)][static_cast<std::size_t>(q % n)]);
    }
  }
  problem.matrices.push_back(objective.Build());
  constrain({{0, {{0, 0, 1}}}}, 1);
  for (int p = 1; p <= n * n; ++p) constrain({{0, {{0, p, -0.5}, {p, p, 1}}}}, 0);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      for (int l = k + 1; l < n; ++l) {
        constrain({{0, {{place(i, k), place(i, l), 1}}}}, 0);
        constrain({{0, {{place(k, i), place(l, i), 1}}}}, 0);
      }
    }
  }
  for (int i = 0; i < 2 * n - 1; ++i) {
    std::vector<int> elements;
    for (int k = 0; k < n; ++k) elements.push_back(i < n ? place(i, k) : place(k, i - n));
    constrain(SquareOfSum(elements), 0);
  }
  MatrixBuilder all;
  for (int p = 1; p <= n * n; ++p) {
    for (int q = p; q <= n * n; ++q) all.Add(0, p, q, 1);
  }
  constrain(all.Build(), static_cast<double>(n) * n);
  return problem;
}

}  // namespace sdpa
