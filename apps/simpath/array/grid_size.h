// How much a count of a grid by arrays needs. Pure.
#pragma once

#include <cstdint>

#include "apps/simpath/problem/count.h"

namespace simpath {

// A value, before anything is allocated.
struct GridForecast {
  std::uint64_t words = 0;  // of the frontier, those with a vertex that is done too
  std::uint64_t bytes = 0;
  int moduli = 0;  // with the one that checks
  int bits = 0;    // that the count fits in
};

// Of a grid of so many cells. Precondition, here and below: 1 <= cells <= 28.
GridForecast ForecastGrid(int cells);

// How many primes a count of so many bits is made by, beside a word.
int PrimesFor(int bits, Check check);

}  // namespace simpath
