#include "apps/sdpa/generate/material.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {

Problem Material(int rows, int columns, std::uint64_t seed) {
  constexpr int kStrains = 10;
  Random random(seed);
  Problem problem;
  SparseMatrix constant, alpha;
  std::vector<SparseMatrix> displacements(static_cast<std::size_t>(2 * columns * (rows + 1)));
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) {
      const int block = static_cast<int>(problem.blocks.size());
      problem.blocks.push_back(BlockOfRows(kStrains + 1));
      std::vector<Element> identity;
      for (int i = 0; i < kStrains; ++i) identity.push_back({i, i, -1});
      constant.push_back({block, std::move(identity)});
      alpha.push_back({block, {{kStrains, kStrains, 1}}});
      // By column, then by row of nodes: the order in which the displacements are numbered, two for
      // each node.
      const std::array<std::pair<int, int>, 4> nodes = {
          {{column, row}, {column, row + 1}, {column + 1, row}, {column + 1, row + 1}}};
      int local = 0;
      for (const auto& [node_column, node_row] : nodes) {
        for (int axis = 0; axis < 2; ++axis, ++local) {
          std::vector<Element> strains;
          for (int i = 0; i < kStrains; ++i) {
            const double value = random.NonZero() / 4 + (i == local ? 1 : 0);
            strains.push_back({i, kStrains, value});
          }
          if (node_column == 0) continue;
          displacements[static_cast<std::size_t>(2 * ((node_column - 1) * (rows + 1) + node_row) +
                                                 axis)]
              .push_back({block, std::move(strains)});
        }
      }
    }
  }
  problem.matrices = {std::move(constant), std::move(alpha)};
  problem.costs = {1};
  // A power of two near the root of their number: the value is below some hundreds for any number
  // of elements, and inside the bounds that SDPA has for values.
  const double scale =
      std::exp2(-std::ceil(std::log2(static_cast<double>(displacements.size())) / 2));
  for (SparseMatrix& matrix : displacements) {
    problem.matrices.push_back(std::move(matrix));
    problem.costs.push_back(2 * scale * random.NonZero());
  }
  return problem;
}

}  // namespace sdpa
