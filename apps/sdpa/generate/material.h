// Problems as SDPLIB's mater: many dense blocks of 11 rows, one for each element of a grid, each of
// which few constraints touch, so that the Schur complement's matrix is very sparse. Pure.
//
// The displacements u of a grid's nodes, whose first column is fixed, do the most work against a
// load f, where an element's strains may not be larger than those of another:
//
//   minimize alpha - 2 f'u   subject to   [   I    G u ]
//                                         [ (G u)' alpha ]  positive semidefinite
//
// for each element's G, of 10 rows and a column for each displacement of its four nodes. alpha is
// in all blocks: its row of the Schur complement's matrix is dense. u = 0, alpha = 1 is inside the
// cone, and so is a Y: each G has the full rank.
//
// Source: J. Zowe, M. Kočvara and M. P. Bendsøe, Free material optimization via mathematical
// programming, Math. Programming 79, 1997 (the form of the problem; the matrices are random).
#pragma once

#include <cstdint>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// rows x columns elements; 1 + 2 columns (rows + 1) constraints.
Problem Material(int rows, int columns, std::uint64_t seed);

}  // namespace sdpa
