// A solution of a semidefinite program, or a point on the way to one, as files hold it. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value: x, and of each block of X and Y all elements row by row, or the diagonal.
struct SolutionValues {
  std::vector<double> x;
  std::vector<std::vector<double>> slack;  // X
  std::vector<std::vector<double>> dual;   // Y

  // Of a solution in pairs of doubles: the second numbers of the pairs; else empty.
  struct Low {
    std::vector<double> x;
    std::vector<std::vector<double>> slack, dual;

    friend bool operator==(const Low&, const Low&) = default;
  } low = {};

  friend bool operator==(const SolutionValues&, const SolutionValues&) = default;
};

// Zeros, of the sizes of the problem's points.
inline SolutionValues ZerosFor(const Problem& problem) {
  SolutionValues zeros = {.x = std::vector<double>(problem.constraints()), .slack = {}, .dual = {}};
  for (const auto& [shape, size] : problem.blocks) {
    const auto rows = static_cast<std::size_t>(size);
    zeros.slack.emplace_back(shape == Shape::kDense ? rows * rows : rows);
  }
  zeros.dual = zeros.slack;
  return zeros;
}

}  // namespace sdpa
