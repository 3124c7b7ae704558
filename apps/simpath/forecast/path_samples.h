// About how many paths there are, from random ones. Pure.
//
// Source: D. E. Knuth, Mathematics and computer science: coping with finiteness, Science 194
// (1976): a path goes on at random to one of the vertices from which it can still end, and stands
// for the product of their numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/simpath/problem.h"

namespace simpath {

// A value.
struct PathSamples {
  std::size_t samples = 0;
  // Of the number of paths: the power of two and, by that, the number's estimate and its standard
  // error, which says little where there are few samples or the error is as large as the estimate.
  double log2_paths = 0;
  double relative_error = 0;
};

// Until so many edges have been looked at: deterministic. Weights are not looked at. Precondition:
// source and target are different; no path: 0 samples.
PathSamples SamplePaths(const Problem& problem, std::uint64_t seed, std::uint64_t looks);

}  // namespace simpath
