// Sizes of a problem's numbers. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// Of all elements, of both triangles.
inline double SquaresOf(const SparseMatrix& matrix) {
  double squares = 0;
  for (const auto& [block, elements] : matrix) {
    for (const auto [row, column, value] : elements) {
      squares += (row == column ? 1 : 2) * value * value;
    }
  }
  return squares;
}

// The largest absolute element.
inline double LargestOf(const SparseMatrix& matrix) {
  double largest = 0;
  for (const BlockElements& block : matrix) {
    for (const Element& element : block.elements) {
      largest = std::max(largest, std::abs(element.value));
    }
  }
  return largest;
}

// A value.
struct Norms {
  explicit Norms(const Problem& problem)
      : constant(std::sqrt(SquaresOf(problem.matrices[0]))),
        largest_constant(LargestOf(problem.matrices[0])) {
    std::vector<double> of_matrices;
    for (std::size_t i = 0; i < problem.constraints(); ++i) {
      const double matrix = std::sqrt(SquaresOf(problem.matrices[i + 1]));
      const double cost = std::abs(problem.costs[i]);
      largest_cost = std::max(largest_cost, cost);
      largest_matrix = std::max(largest_matrix, matrix);
      of_matrices.push_back(matrix);
      x_units.push_back(matrix > 0 ? constant / matrix : 0);
      if (matrix > 0) y_unit = std::max(y_unit, cost / matrix);
    }
    unit = std::min(1.0, std::max(largest_matrix, constant));
    for (std::size_t i = 0; i < problem.constraints(); ++i) {
      largest_ratio =
          std::max(largest_ratio, (1 + std::abs(problem.costs[i])) / (unit + of_matrices[i]));
    }
  }

  double constant = 0;                            // |F_0|
  double largest_constant = 0, largest_cost = 0;  // of all elements of F_0, and all c_i
  double largest_matrix = 0;                      // |F_i|
  double unit = 1;           // of the F_i's numbers: 1, or less where all are smaller
  double largest_ratio = 0;  // of 1 + |c_i| and unit + |F_i|
  // Of the proofs that there is no solution (proof/certify.h): |F_0| over |F_i|, and the largest
  // |c_i| over |F_i|.
  std::vector<double> x_units;
  double y_unit = 0;
};

}  // namespace sdpa
