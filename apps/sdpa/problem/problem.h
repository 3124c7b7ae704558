// Semidefinite programs in SDPA's standard form. Pure.
//
//   primal   minimize c'x
//            subject to X = F_1 x_1 + ... + F_m x_m - F_0, X positive semidefinite
//   dual     maximize F_0.Y
//            subject to F_i.Y = c_i for each i, Y positive semidefinite
//
// The matrices are symmetric, of one block structure; A.B is the sum of the products of all
// elements.
//
// Source: [ULIBC14] section 4.3; K. Fujisawa et al., SDPA User's Manual 7.1.0, 2008, section 2.
#pragma once

#include <cstddef>
#include <vector>

namespace sdpa {

enum class Shape { kDense, kDiagonal };

// A value: a block of all matrices, of size x size elements, or the diagonal of these.
struct Block {
  Shape shape = Shape::kDense;
  int size = 0;

  friend bool operator==(const Block&, const Block&) = default;
};

// A value: an element that is not zero, and its mirror image.
struct Element {
  int row = 0;     // from 0 on
  int column = 0;  // at least row
  double value = 0;

  friend bool operator==(const Element&, const Element&) = default;
};

// A value: the elements of a matrix in one block, by row, then by column.
struct BlockElements {
  int block = 0;
  std::vector<Element> elements;  // at least one

  friend bool operator==(const BlockElements&, const BlockElements&) = default;
};

// A value: by block.
using SparseMatrix = std::vector<BlockElements>;

// A value.
struct Problem {
  std::vector<Block> blocks;
  std::vector<double> costs;           // c: one for each constraint
  std::vector<SparseMatrix> matrices;  // F_0, ..., F_m

  std::size_t constraints() const { return costs.size(); }  // m

  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace sdpa
