// The Schur complement's matrix B_ij = tr(F_i Y F_j X^-1), element by element: the loop of the
// paper's figure 14, by one thread.
//
// Source: [ULIBC14] section 4.3, figure 14.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/sdpa/problem.h"
#include "apps/sdpa/linear/block_matrix.h"

namespace sdpa {

// m x m elements, of which those with j <= i are set, row by row.
std::vector<double> SchurMatrix(const Problem& problem, const BlockMatrix<double>& y,
                                const BlockMatrix<double>& x_inverse);

}  // namespace sdpa
