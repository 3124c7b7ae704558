// Problems as SDPLIB's control: a linear system x' = A x + B u with outputs C x, and the largest
// lambda with
//
//   [ -P A - A'P - C'D C   -P B ]
//   [       -B'P             D  ]  - lambda I  and  I - P  positive semidefinite
//
// for a symmetric P and a diagonal D. Pure.
//
// As many inputs and outputs as states, n of each (40 in control-40), are
// m = n (n + 1) / 2 + n + 1 constraints and blocks of 2n and n rows.
//
// Source: K. Fujisawa, M. Fukuda, M. Kojima and K. Nakata, Numerical evaluation of SDPA, 1999.
#pragma once

#include <cstdint>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A is stable, for which reason both sides have points inside the cone: P = 0 with a lambda below
// 0, and Y that is positive definite, with zeros between states and inputs.
Problem Control(int states, std::uint64_t seed);

}  // namespace sdpa
