// Quads of pairs of doubles, and the functions on them that each kind of processor has its own of.
// A quad is a row of four pairs: their first numbers, then their second ones. Other pairs lie one
// after the other.
#pragma once

namespace sdpa {

inline constexpr int kLanes = 4;

// A value: what PairKernels has (pair_kernels.h).
struct PairFunctions {
  void (*multiply_add)(const double* a, const double* others, int rows, int depth, double* quads);
  void (*solve_lower)(const double* l, int n, int count, double* quads);
};

}  // namespace sdpa
