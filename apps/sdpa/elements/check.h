// Checks elements of a Schur complement's matrix against the trace that defines them, by code that
// the solver does not use.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// B_ij = tr(F_i Y F_j X^-1), block by block, by formula F3, or F2 where that takes far less. i and
// j count from 0; Y and X^-1 are given in the order of the layout.
double ElementAsWritten(const Problem& problem, const Layout& layout, std::span<const double> y,
                        std::span<const double> inverse, std::size_t i, std::size_t j);

// Returns the largest error of sampled elements at(i, j), j <= i, relative to the elements on the
// diagonal, or NaN if a sampled element is NaN. Each call takes the same samples: 200 elements, or
// as many as take some seconds where the matrices are full, and at least one element.
double LargestError(const Problem& problem, const Layout& layout, std::span<const double> y,
                    std::span<const double> inverse,
                    const std::function<double(std::size_t, std::size_t)>& at);

}  // namespace sdpa
