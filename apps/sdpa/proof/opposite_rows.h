// Rows that leave a direction of x no choice: where a'x and -a'x are both 0 or more, a'x is 0. A
// direction in doubles misses that by its roundings, and a proof needs a direction that does not.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/reduce/linear_rows.h"

namespace sdpa {

// A value.
struct OppositeRows {
  // The sums a'x that are to be 0, each of them once.
  std::vector<std::vector<Coefficient>> sums;
  // By block and row of the problem: is the row a multiple of such a sum, to the last digit?
  std::vector<std::vector<bool>> has;
};
OppositeRows OppositeRowsOf(const Problem& problem);

// A value: x, moved to where the sums are 0 by the least that does it.
struct MovedX {
  std::vector<long double> x;
  long double left = 0;  // an x whose sums are all 0 is no further, by the Euclidean norm
};
// None where the sums are dependent, as far as can be seen, or too many.
std::optional<MovedX> MovedToZeros(const OppositeRows& rows, const std::vector<double>& x);

}  // namespace sdpa
