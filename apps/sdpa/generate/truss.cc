#include "apps/sdpa/generate/truss.h"

#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/sdpa/generate/random.h"
#include "apps/sdpa/problem/matrix_builder.h"

namespace sdpa {
namespace {

// A displacement, from 0 on, and what it does to a bar's length, over the length squared.
using Part = std::pair<int, double>;

std::vector<std::vector<Part>> EachBar(const TrussOptions& options) {
  std::vector<std::vector<Part>> bars;
  const auto displacement = [&](int row, int column) {
    return 2 * ((column - 1) * options.rows + row);
  };
  for (int column = 0; column < options.columns; ++column) {
    for (int row = 0; row < options.rows; ++row) {
      for (int right = 0; right <= options.reach && column + right < options.columns; ++right) {
        for (int up = right == 0 ? 1 : -options.reach; up <= options.reach; ++up) {
          // Longer bars in the same direction are made of shorter ones.
          if (row + up < 0 || row + up >= options.rows || std::gcd(right, up) != 1) continue;
          if (column + right == 0) continue;
          const double squared = right * right + up * up;
          std::vector<Part> bar;
          const auto add = [&](int end_row, int end_column, double sign) {
            if (end_column == 0) return;  // fixed
            const int first = displacement(end_row, end_column);
            if (right != 0) bar.emplace_back(first, sign * right / squared);
            if (up != 0) bar.emplace_back(first + 1, sign * up / squared);
          };
          add(row, column, -1);
          add(row + up, column + right, 1);
          bars.push_back(std::move(bar));
        }
      }
    }
  }
  return bars;
}

}  // namespace

int BarsOf(const TrussOptions& options) { return static_cast<int>(EachBar(options).size()); }

Problem Truss(const TrussOptions& options) {
  const std::vector<std::vector<Part>> bars = EachBar(options);
  const int displacements = 2 * options.rows * (options.columns - 1),
            count = static_cast<int>(bars.size());
  Problem problem;
  for (int load = 0; load < options.loads; ++load) {
    problem.blocks.push_back(BlockOfRows(1 + displacements));
  }
  problem.blocks.push_back({Shape::kDiagonal, count + 1});

  Random random(options.seed);
  MatrixBuilder constant, tau;
  for (int load = 0; load < options.loads; ++load) {
    for (int i = 0; i < displacements; ++i) constant.Add(load, 0, 1 + i, -random.Fraction());
    tau.Add(load, 0, 0, 1);
  }
  constant.Add(options.loads, count, count, -count);
  problem.matrices = {constant.Build(), tau.Build()};
  problem.costs = {1};
  for (int i = 0; i < count; ++i) {
    const std::vector<Part>& bar = bars[static_cast<std::size_t>(i)];
    MatrixBuilder matrix;
    for (int load = 0; load < options.loads; ++load) {
      for (const auto& [row, value] : bar) {
        for (const auto& [column, other] : bar) {
          if (row <= column) matrix.Add(load, 1 + row, 1 + column, value * other);
        }
      }
    }
    matrix.Add(options.loads, i, i, 1);
    matrix.Add(options.loads, count, count, -1);
    problem.matrices.push_back(matrix.Build());
    problem.costs.push_back(0);
  }
  return problem;
}

}  // namespace sdpa
