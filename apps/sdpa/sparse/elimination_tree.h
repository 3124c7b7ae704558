// What Cholesky's method does to a sparse symmetric matrix, found without its values: which column
// changes which, and how many elements each column of the factor L gets. Pure.
//
// Source: J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix
// Analysis and Applications 11, 1990; J. R. Gilbert, E. G. Ng and B. W. Peyton, An efficient
// algorithm to compute row and column counts for sparse Cholesky factorization, same journal 15,
// 1994.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/sdpa/sparse/sparse_pattern.h"

namespace sdpa {

inline constexpr int kNone = -1;

// A value: a matrix whose rows and columns were put in another order.
struct ReorderedPattern {
  SparsePattern pattern;             // the rows below the diagonal in any order
  std::vector<std::size_t> sources;  // by element: where the given pattern has it
};

// `order`: by new column, the given one.
ReorderedPattern Reorder(const SparsePattern& given, const std::vector<int>& order);

// By column, its parent in the elimination tree, which is the first row below the diagonal where L
// has an element, or kNone. A column changes its ancestors only.
std::vector<int> EliminationTree(const SparsePattern& pattern);

// By step, a column of the tree: children before their parent, and each subtree on its own, so that
// the columns of a subtree come next to each other. Such an order gets the same elements in L.
std::vector<int> Postorder(const std::vector<int>& parents);

// By column, the elements that L has there with its diagonal. Precondition: the columns are in a
// postorder of `parents`, their tree.
std::vector<int> ColumnCounts(const SparsePattern& pattern, const std::vector<int>& parents);

}  // namespace sdpa
