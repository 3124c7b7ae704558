#include "apps/sdpa/sparse/elimination_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/sdpa/sparse/at.h"

namespace sdpa {
namespace {

// The root of a tree whose paths get shorter as they are gone.
int RootOf(int node, std::vector<int>& ancestors) {
  int root = node;
  while (ancestors[At(root)] != root) root = ancestors[At(root)];
  while (node != root) node = std::exchange(ancestors[At(node)], root);
  return root;
}

}  // namespace

ReorderedPattern Reorder(const SparsePattern& given, const std::vector<int>& order) {
  std::vector<int> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[At(order[i])] = static_cast<int>(i);

  ReorderedPattern reordered;
  std::vector<std::size_t>& begin = reordered.pattern.column_begin;
  begin.assign(order.size() + 1, 0);
  for (int j = 0; j < given.size(); ++j) {
    for (const int i : given.column(j)) ++begin[At(std::min(places[At(i)], places[At(j)])) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());

  reordered.pattern.rows.resize(given.elements());
  reordered.sources.resize(given.elements());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t j = 0; j < order.size(); ++j) {
    reordered.pattern.rows[next[j]] = static_cast<int>(j);
    reordered.sources[next[j]++] = given.column_begin[At(order[j])];
  }
  for (int j = 0; j < given.size(); ++j) {
    const std::size_t first = given.column_begin[At(j)];
    for (std::size_t k = first + 1; k < given.column_begin[At(j) + 1]; ++k) {
      const auto [column, row] = std::minmax({places[At(j)], places[At(given.rows[k])]});
      reordered.pattern.rows[next[At(column)]] = row;
      reordered.sources[next[At(column)]++] = k;
    }
  }
  return reordered;
}

std::vector<int> EliminationTree(const SparsePattern& pattern) {
  const auto m = At(pattern.size());
  // The same elements by rows, without the diagonal.
  std::vector<std::size_t> row_begin(m + 1, 0);
  for (int j = 0; j < pattern.size(); ++j) {
    for (const int i : pattern.column(j).subspan(1)) ++row_begin[At(i) + 1];
  }
  std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
  std::vector<int> columns(row_begin.back());
  std::vector<std::size_t> next(row_begin.begin(), row_begin.end() - 1);
  for (int j = 0; j < pattern.size(); ++j) {
    for (const int i : pattern.column(j).subspan(1)) columns[next[At(i)]++] = j;
  }

  std::vector<int> parents(m, kNone), ancestors(m);
  std::iota(ancestors.begin(), ancestors.end(), 0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = row_begin[i]; k < row_begin[i + 1]; ++k) {
      const auto root = At(RootOf(columns[k], ancestors));
      if (root != i) parents[root] = ancestors[root] = static_cast<int>(i);
    }
  }
  return parents;
}

std::vector<int> Postorder(const std::vector<int>& parents) {
  // Lists of children, the smallest first.
  const std::size_t m = parents.size();
  std::vector<int> first_child(m, kNone), next_sibling(m, kNone);
  int first_root = kNone;
  for (std::size_t j = m; j-- > 0;) {
    int& first = parents[j] == kNone ? first_root : first_child[At(parents[j])];
    next_sibling[j] = std::exchange(first, static_cast<int>(j));
  }
  // Without recursion: the tree may be a chain of all columns.
  std::vector<int> order;
  order.reserve(m);
  for (int j = first_root; j != kNone;) {
    while (first_child[At(j)] != kNone) j = first_child[At(j)];
    order.push_back(j);
    while (j != kNone && next_sibling[At(j)] == kNone) {
      j = parents[At(j)];
      if (j != kNone) order.push_back(j);
    }
    if (j != kNone) j = next_sibling[At(j)];
  }
  return order;
}

// Row i of L has the columns on the ways from row i's elements up to i, which is a subtree. Where
// an element is a leaf of it, a column is counted, and where the ways of two leaves meet, one of
// them ends; the sums over subtrees count each row's columns once.
std::vector<int> ColumnCounts(const SparsePattern& pattern, const std::vector<int>& parents) {
  const std::size_t m = parents.size();
  std::vector<int> first_descendant(m, kNone), counts(m, 0);
  for (std::size_t j = 0; j < m; ++j) {
    if (first_descendant[j] == kNone) {
      first_descendant[j] = static_cast<int>(j);
      counts[j] = 1;
    }
    if (parents[j] == kNone) continue;
    int& of_parent = first_descendant[At(parents[j])];
    if (of_parent == kNone) of_parent = first_descendant[j];
  }

  std::vector<int> last_descended(m, kNone), last_leaf(m, kNone), ancestors(m);
  std::iota(ancestors.begin(), ancestors.end(), 0);
  for (std::size_t j = 0; j < m; ++j) {
    if (parents[j] != kNone) --counts[At(parents[j])];
    for (const int row : pattern.column(static_cast<int>(j)).subspan(1)) {
      const auto i = At(row);
      // Otherwise row i has an element in j's subtree already, and j is no leaf.
      if (first_descendant[j] <= last_descended[i]) continue;
      ++counts[j];
      if (last_leaf[i] != kNone) --counts[At(RootOf(last_leaf[i], ancestors))];
      last_leaf[i] = static_cast<int>(j);
      last_descended[i] = first_descendant[j];
    }
    if (parents[j] != kNone) ancestors[j] = parents[j];
  }
  for (std::size_t j = 0; j < m; ++j) {
    if (parents[j] != kNone) counts[At(parents[j])] += counts[j];
  }
  return counts;
}

}  // namespace sdpa
