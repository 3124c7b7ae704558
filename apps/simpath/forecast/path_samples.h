// Estimates the number of paths from random paths. Pure.
//
// A random path goes on to a random neighbor with a way to the target. The product of the numbers
// of such neighbors along the path has the number of paths as its mean.
//
// Source: D. E. Knuth, Mathematics and computer science: coping with finiteness, Science 194
// (1976).
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/simpath/problem/problem.h"

namespace simpath {

// A value.
struct PathSamples {
  std::size_t samples = 0;
  // The logarithm of the estimate, and the standard error divided by the estimate. An error near 1
  // says: the samples are too few.
  double log2_paths = 0;
  double relative_error = 0;
};

// Ends after `looks` at edges, so the result depends on the seed only. Weights are ignored. Without
// a path there are 0 samples. Precondition: source and target are different.
PathSamples SamplePaths(const Problem& problem, std::uint64_t seed, std::uint64_t looks);

}  // namespace simpath
