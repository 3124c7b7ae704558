// A sparse symmetric matrix as a sum of few products left right' of sparse vectors. With these, a
// row of the Schur complement's matrix takes a few multiplications an element of the other
// matrices, where the formulas F1, F2 and F3 take one for each row or element of this one. Pure.
//
// Source: S. J. Benson, Y. Ye and X. Zhang, DSDP, SIAM J. Optimization 10, 2000, for matrices of
// rank 1; the cover by lines is this program's own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value.
struct SparseVector {
  std::vector<int> rows;
  std::vector<double> values;
};

// A value: left right'.
struct Term {
  SparseVector left, right;
};

// How near a product of rank 1 is to the matrix that it stands for: to a double's last bits, as
// data of rank 1 are, or exactly, for numbers that have more digits.
enum class Rounding { kLastBits, kNone };

// Rank 1: one term. Others: the matrix's elements are covered by lines, a row and the column of the
// same number, the line first that has the most elements which no other has covered; a line is two
// terms, and one where all its elements are on the diagonal. Or a term for each row, where these
// are fewer. The same each time.
std::vector<Term> TermsOf(std::span<const Element> matrix, Rounding rounding = Rounding::kLastBits);

// Elements of all vectors of the terms.
std::size_t SizeOf(std::span<const Term> terms);

}  // namespace sdpa
