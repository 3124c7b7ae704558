#include "apps/sdpa/generate/control.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix RandomMatrix(std::size_t n, double scale, Random& random) {
  Matrix matrix(n, std::vector<double>(n));
  for (std::vector<double>& row : matrix) {
    for (double& element : row) element = scale * random.Fraction();
  }
  return matrix;
}

}  // namespace

Problem Control(int states, std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(states);
  Random random(seed);
  // The eigenvalues of the symmetric part are at most sqrt(2n/3) or little more: what is left of A
  // is stable.
  const double root = std::ceil(std::sqrt(static_cast<double>(n)));
  Matrix a = RandomMatrix(n, 1, random);
  for (std::size_t i = 0; i < n; ++i) a[i][i] -= root + 1;
  // Inputs move outputs by less than they are themselves, which makes the value more than 0. A
  // power of two, so that nothing is rounded.
  const double scale = std::exp2(-std::ceil(std::log2(root)));
  const Matrix b = RandomMatrix(n, scale, random), c = RandomMatrix(n, scale, random);

  Problem problem = {
      .blocks = {BlockOfRows(2 * states), BlockOfRows(states)}, .costs = {}, .matrices = {}};
  MatrixBuilder constant;
  for (int i = 0; i < states; ++i) constant.Add(1, i, i, -1);
  problem.matrices.push_back(constant.Build());
  for (int i = 0; i < states; ++i) {
    for (int j = i; j < states; ++j) {
      // P = E, which has ones at i, j and j, i.
      MatrixBuilder matrix;
      matrix.Add(1, i, j, -1);
      const auto add = [&](int to, std::size_t from) {
        for (int k = 0; k < states; ++k) {
          const auto at = static_cast<std::size_t>(k);
          matrix.AddWithTranspose(0, to, k, -a[from][at]);
          matrix.Add(0, to, states + k, -b[from][at]);
        }
      };
      add(i, static_cast<std::size_t>(j));
      if (i != j) add(j, static_cast<std::size_t>(i));
      problem.matrices.push_back(matrix.Build());
      problem.costs.push_back(0);
    }
  }
  for (int k = 0; k < states; ++k) {
    MatrixBuilder matrix;
    const std::vector<double>& output = c[static_cast<std::size_t>(k)];
    for (int i = 0; i < states; ++i) {
      for (int j = i; j < states; ++j) {
        matrix.Add(0, i, j,
                   -output[static_cast<std::size_t>(i)] * output[static_cast<std::size_t>(j)]);
      }
    }
    matrix.Add(0, states + k, states + k, 1);
    problem.matrices.push_back(matrix.Build());
    problem.costs.push_back(0);
  }
  MatrixBuilder lambda;
  for (int i = 0; i < 2 * states; ++i) lambda.Add(0, i, i, -1);
  problem.matrices.push_back(lambda.Build());
  problem.costs.push_back(-1);
  return problem;
}

}  // namespace sdpa
