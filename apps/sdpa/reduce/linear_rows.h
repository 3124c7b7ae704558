// Rows of a problem that are linear inequalities in x by themselves, and the equalities that pairs
// of such rows are: a'x >= f and -a'x >= -f, as modelling tools write a'x = f. Pure.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value: a row of a block.
struct RowPlace {
  int block = -1;
  int row = 0;

  friend bool operator==(const RowPlace&, const RowPlace&) = default;
};

// A value: a part of a sum over x.
struct Coefficient {
  std::size_t constraint = 0;  // whose x it is
  double factor = 0;
};

// A value: product 2^exponent, of which nothing has overflowed.
struct ScaledProduct {
  double product = 0;  // 1/4 to 1, rounded
  int exponent = 0;
};
inline ScaledProduct ProductOf(double a, double b) {
  int of_a = 0, of_b = 0;
  const double product = std::frexp(a, &of_a) * std::frexp(b, &of_b);
  return {product, of_a + of_b};
}

// A value: the row says that the sum of `terms` is `constant` or more. No matrix has an element of
// the row beside the diagonal.
struct LinearRow {
  RowPlace place;
  std::vector<Coefficient> terms;  // by constraint
  double constant = 0;             // F_0's element
};

// All of a problem, by place.
std::vector<LinearRow> LinearRowsOf(const Problem& problem);

// Groups of two rows or more whose terms are the same up to a factor of any sign, and roundings.
// Each is by place, and so are the groups by their first rows. Rows without terms are in none.
std::vector<std::vector<const LinearRow*>> ParallelRowsOf(const std::vector<LinearRow>& rows);

// A value: rows with the same terms up to a factor. Two of the rows leave the sum of the terms a
// single value, and the other rows follow from these two.
struct Equality {
  struct Member {
    RowPlace place;
    double factor = 0;  // the row's terms are the equality's times this
    double constant = 0;
  };
  std::vector<Coefficient> terms;
  double constant = 0;
  std::vector<Member> members;
  std::size_t above = 0, below = 0;  // members; by these the sum is not less, and not more
};

// By the place of the first member. Bounds that differ by some roundings are the same value.
std::vector<Equality> EqualitiesOf(const std::vector<LinearRow>& rows);

}  // namespace sdpa
