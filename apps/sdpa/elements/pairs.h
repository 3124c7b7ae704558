// What the terms of a matrix F_j make of Y and X^-1: for each row of a block the pairs of the
// elements of Y left_t and of X^-1 right_t, from which the elements of U = Y F_j X^-1 follow as
// U_ab = sum over t of first_t[a] second_t[b]. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "apps/sdpa/elements/terms.h"

namespace sdpa {

// A value: an element of F_i; `value` is halved on the diagonal, so that it always counts twice.
struct Entry {
  int row = 0, column = 0;
  double value = 0;
};

// A value: what of F_i is in a block. By its terms where these have fewer elements.
struct Part {
  int constraint = 0;              // of F_1 from 0 on
  std::size_t begin = 0, end = 0;  // of its entries in the block's
  std::span<const Term> terms;     // all
  bool is_by_terms = false;
};

// Numbers for each row: first_0 second_0 of one term; of more, two terms after two, filled up with
// zeros: first_0 first_1 second_0 second_1, first_2 ...
constexpr std::size_t WidthOf(std::size_t terms) { return terms == 1 ? 2 : (terms + 1) / 2 * 4; }

// A value: where the sums of constraints from `begin` on are.
template <typename Real>
struct Sums {
  Real* data = nullptr;
  int begin = 0;

  Real& operator[](int constraint) const { return data[constraint - begin]; }
};

namespace pairs {

// Sum over t of a's first_t b's second_t and b's first_t a's second_t.
template <typename Real>
Real Crossed(const Real* a, const Real* b, std::size_t width) {
  if (width == 2) return a[0] * b[1] + a[1] * b[0];
  Real sum(0);
  for (std::size_t t = 0; t < width; t += 4) {
    sum += a[t] * b[t + 2] + a[t + 1] * b[t + 3] + a[t + 2] * b[t] + a[t + 3] * b[t + 1];
  }
  return sum;
}

}  // namespace pairs

// Sets `pairs`, n rows of WidthOf(terms). `row`: scratch of n numbers. y, inverse: n x n.
template <typename Real>
void SetPairs(std::span<const Term> terms, std::size_t n, const Real* y, const Real* inverse,
              Real* row, Real* pairs) {
  const std::size_t width = WidthOf(terms.size());
  const auto set = [&](const SparseVector& vector, const Real* matrix, std::size_t at) {
    const auto row_of = [&](std::size_t k) {
      return matrix + static_cast<std::size_t>(vector.rows[k]) * n;
    };
    const Real* from = row_of(0);
    if (vector.rows.size() > 1 || vector.values[0] != 1) {
      for (std::size_t a = 0; a < n; ++a) row[a] = vector.values[0] * from[a];
      for (std::size_t k = 1; k < vector.rows.size(); ++k) {
        const Real* const other = row_of(k);
        for (std::size_t a = 0; a < n; ++a) row[a] += vector.values[k] * other[a];
      }
      from = row;
    }
    for (std::size_t a = 0; a < n; ++a) pairs[a * width + at] = from[a];
  };
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::size_t first = terms.size() == 1 ? 0 : t / 2 * 4 + t % 2;
    set(terms[t].left, y, first);
    set(terms[t].right, inverse, first + (terms.size() == 1 ? 1 : 2));
  }
  if (terms.size() % 2 == 0 || terms.size() == 1) return;
  for (std::size_t a = 0; a < n; ++a) pairs[a * width + width - 3] = pairs[(a + 1) * width - 1] = 0;
}

// Adds tr(F_i U) to sums[i] for the F_i of parts that are not by their terms.
template <typename Real>
void AddPart(const Part& part, std::span<const Entry> entries, const Real* pairs, std::size_t width,
             Sums<Real> sums) {
  Real sum(0);
  for (std::size_t e = part.begin; e < part.end; ++e) {
    sum += entries[e].value *
           pairs::Crossed(pairs + static_cast<std::size_t>(entries[e].row) * width,
                          pairs + static_cast<std::size_t>(entries[e].column) * width, width);
  }
  sums[part.constraint] += sum;
}
template <typename Real>
void AddParts(std::span<const Part> parts, std::span<const Entry> entries, const Real* pairs,
              std::size_t width, Sums<Real> sums) {
  for (const Part& part : parts) {
    if (!part.is_by_terms) AddPart(part, entries, pairs, width, sums);
  }
}
// With what the processor has for several at once.
void AddParts(std::span<const Part> parts, std::span<const Entry> entries, const double* pairs,
              std::size_t width, Sums<double> sums);

// The same for one that is by its terms. `scratch`: 2 * width numbers.
template <typename Real>
void AddByTerms(const Part& part, const Real* pairs, std::size_t width, Real* scratch,
                Sums<Real> sums) {
  Real sum(0);
  const auto combine = [&](const SparseVector& vector, Real* to) {
    for (std::size_t t = 0; t < width; ++t) to[t] = Real(0);
    for (std::size_t k = 0; k < vector.rows.size(); ++k) {
      const Real* const row = pairs + static_cast<std::size_t>(vector.rows[k]) * width;
      for (std::size_t t = 0; t < width; ++t) to[t] += vector.values[k] * row[t];
    }
  };
  for (const Term& term : part.terms) {
    combine(term.left, scratch);
    combine(term.right, scratch + width);
    sum += pairs::Crossed(scratch, scratch + width, width);
  }
  // F_i is symmetric: both products of each pair have the same sum.
  sums[part.constraint] += 0.5 * sum;
}

}  // namespace sdpa
