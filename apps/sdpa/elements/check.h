// Are elements of a Schur complement's matrix right? Some of them, computed again by what computes
// nothing else: the trace as it is written. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem.h"

namespace sdpa {

// B_ij = tr(F_i Y F_j X^-1), block by block, by formula F3, or F2 where that takes far less. i and
// j count from 0; Y and X^-1 are given in the order of the layout.
double ElementAsWritten(const Problem& problem, const Layout& layout, std::span<const double> y,
                        std::span<const double> inverse, std::size_t i, std::size_t j);

// The largest error of sampled elements at(i, j), j <= i, relative to those on the diagonal; NaN
// where one is no number. The same samples each time: 200 of them, fewer where the matrices are so
// full that they would take longer than some seconds, and at least one.
double LargestError(const Problem& problem, const Layout& layout, std::span<const double> y,
                    std::span<const double> inverse,
                    const std::function<double(std::size_t, std::size_t)>& at);

}  // namespace sdpa
