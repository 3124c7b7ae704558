// A relaxation of the quadratic assignment problem, of the sizes of SDPLIB's qap: n^2 + 1 rows and
// n^3 + 2n + 1 constraints. No Y that fulfils them is positive definite, so that the problem is
// ill-conditioned and solvers come to few digits. Pure.
//
// Y is the matrix of products of 1 and the assignment's elements x_ik, thing i at place k:
// Y_00 = 1, Y_pp = Y_0p, x_ik x_il = x_ik x_jk = 0, the sum of a row and of a column is 1 (but for
// the last column, which follows from the others), and all products' sum is n^2. The least sum of
// flow_ij distance_kl x_ik x_jl is the value, with its sign changed.
//
// Source: Q. Zhao, S. E. Karisch, F. Rendl and H. Wolkowicz, Semidefinite programming relaxations
// for the quadratic assignment problem, J. Combinatorial Optimization 2, 1998.
#pragma once

#include <cstdint>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// Flows and distances are whole numbers from 0 to 9.
Problem QuadraticAssignment(int n, std::uint64_t seed);

}  // namespace sdpa
