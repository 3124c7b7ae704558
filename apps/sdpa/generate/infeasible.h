// Problems without a solution, with the certificate that says so. Pure.
//
// Source: M. J. Todd, Semidefinite optimization, Acta Numerica 10, 2001, section 4 (strong and weak
// infeasibility).
#pragma once

#include <cstdint>

#include "apps/sdpa/generate/generated.h"

namespace sdpa {

// A value: a dense block and a diagonal one of 3 rows.
struct InfeasibleOptions {
  int rows = 10;
  int constraints = 6;
  std::uint64_t seed = 1;
};

// No x is feasible, and the dual side is unbounded: a positive definite Y with F_i.Y = 0 is chosen,
// and each F_i moved so that this holds.
Generated PrimalInfeasible(const InfeasibleOptions& options);

// No Y is feasible, and the primal side is unbounded: a positive definite matrix and the x that
// makes it are chosen, and F_m is what is missing.
Generated DualInfeasible(const InfeasibleOptions& options);

// X = [x 1; 1 0]: as near to positive semidefinite as wanted.
Generated WeaklyInfeasible();

}  // namespace sdpa
