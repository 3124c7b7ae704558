// In which order to eliminate the columns of a sparse symmetric matrix, so that its factor gets few
// elements. Pure but for AMD.
//
// Source: P. R. Amestoy, T. A. Davis and I. S. Duff, An approximate minimum degree ordering
// algorithm, SIAM J. Matrix Analysis and Applications 17, 1996; SuiteSparse's AMD.
#pragma once

#include <vector>

#include "apps/sdpa/sparse/sparse_pattern.h"

namespace sdpa {

// By step, the column that is eliminated then; the same in every run.
std::vector<int> MinimumDegreeOrder(const SparsePattern& pattern);

}  // namespace sdpa
