// How much memory the elements of a problem take once more, in the form in which columns of the
// Schur complement's matrix are computed from them. Pure.
#pragma once

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// About the most bytes that Reordered (order.h) and Columns (columns.h) take beside the problem:
// known before they are made.
double BytesOfColumns(const Problem& problem);

}  // namespace sdpa
