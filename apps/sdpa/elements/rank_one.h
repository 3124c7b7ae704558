// Which matrices are of rank 1, and how many elements a matrix has. Pure.
//
// Source: S. J. Benson, Y. Ye and X. Zhang, DSDP, SIAM J. Optimization 10, 2000.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// Elements of a symmetric matrix that are not zero, those of both triangles.
std::size_t NonZeros(std::span<const Element> matrix);

// A value: scale * a a', where `a` has these elements that are not zero.
struct RankOne {
  double scale = 1;  // 1 or -1
  std::vector<int> rows;
  std::vector<double> values;
};

// Where the matrix is one, to the last bits of a double; none for others.
std::optional<RankOne> AsRankOne(std::span<const Element> matrix);

}  // namespace sdpa
