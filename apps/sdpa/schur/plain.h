// The Schur complement's matrix B_ij = tr(F_i Y F_j X^-1), element by element by the formulas F1,
// F2 and F3: the loop of the paper's figure 14, with which schur.h's ways are compared.
//
// Threads: from lightweight threads; columns of a block are computed side by side.
//
// Source: [ULIBC14] section 4.3, figure 14.
#pragma once

#include <span>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// Sets `b`, m x m elements, those with j <= i, row by row. y, inverse: Y and X^-1, all elements in
// the layout's order.
void PlainSchur(const Problem& problem, const Layout& layout, std::span<const double> y,
                std::span<const double> inverse, std::span<double> b);

}  // namespace sdpa
