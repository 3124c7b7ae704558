// Is a sparse matrix semidefinite, and of low rank? Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value.
struct Range {
  int sign = 0;  // sign times the matrix is positive semidefinite
  // By dense block: vectors that span its range, of all rows of the block.
  std::map<int, std::vector<std::vector<double>>> vectors;
  std::map<int, std::vector<int>> rows;  // by diagonal block: whose element is not 0
};

// None where the matrix is empty, indefinite as far as can be seen, or has a rank above kMostRank
// in a block that is not diagonal, or where that would take more products than are left of `work`.
inline constexpr std::size_t kMostRank = 64;
std::optional<Range> RangeIfSemidefinite(const SparseMatrix& matrix,
                                         const std::vector<Block>& blocks, double& work);

}  // namespace sdpa
