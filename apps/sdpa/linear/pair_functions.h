// Sums of products of pairs of doubles, as the processor that runs the program does them best.
//
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

// Of the processor that runs this: where it has AVX2 and fused products those with them.
const PairFunctions& PairFunctionsHere();

}  // namespace sdpa
