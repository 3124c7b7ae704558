#include "apps/sdpa/elements/terms.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <utility>

#include "apps/sdpa/elements/rank_one.h"

namespace sdpa {
namespace {

SparseVector Unit(int row) { return {{row}, {1.0}}; }

// The rows that are not empty, all their elements.
std::map<int, SparseVector> RowsOf(std::span<const Element> matrix) {
  std::map<int, SparseVector> rows;
  const auto add = [&](int row, int column, double value) {
    rows[row].rows.push_back(column);
    rows[row].values.push_back(value);
  };
  for (const auto [row, column, value] : matrix) {
    add(row, column, value);
    if (row != column) add(column, row, value);
  }
  return rows;
}

std::vector<Term> CoverOf(const std::map<int, SparseVector>& rows) {
  // By what is not covered yet, the most first, then by number.
  using Line = std::pair<std::size_t, int>;
  std::priority_queue<Line> lines;
  std::map<int, std::size_t> uncovered;
  for (const auto& [row, elements] : rows) {
    uncovered[row] = elements.rows.size();
    lines.push({elements.rows.size(), -row});
  }
  std::vector<Term> terms;
  while (!lines.empty()) {
    const auto [count, negative] = lines.top();
    lines.pop();
    const int line = -negative;
    if (uncovered[line] == 0) continue;
    if (uncovered[line] != count) {
      lines.push({uncovered[line], negative});
      continue;
    }
    SparseVector of_row, of_column;  // the diagonal's element is in the row
    const SparseVector& all = rows.at(line);
    for (std::size_t k = 0; k < all.rows.size(); ++k) {
      const int other = all.rows[k];
      if (other != line && uncovered[other] == 0) continue;
      of_row.rows.push_back(other);
      of_row.values.push_back(all.values[k]);
      if (other == line) continue;
      of_column.rows.push_back(other);
      of_column.values.push_back(all.values[k]);
    }
    // Lines that were taken have covered what they share with this one: their count is 0.
    for (const int other : of_column.rows) --uncovered[other];
    uncovered[line] = 0;
    terms.push_back({Unit(line), std::move(of_row)});
    if (!of_column.rows.empty()) terms.push_back({std::move(of_column), Unit(line)});
  }
  return terms;
}

std::vector<Term> ByLines(std::span<const Element> matrix) {
  std::map<int, SparseVector> rows = RowsOf(matrix);
  std::vector<Term> terms = CoverOf(rows);
  if (terms.size() <= rows.size()) return terms;
  terms.clear();
  for (auto& [row, elements] : rows) terms.push_back({Unit(row), std::move(elements)});
  return terms;
}

// Is the term of rank 1 the matrix, whose elements are all of the upper triangle?
bool IsExactly(const Term& term, std::span<const Element> matrix) {
  const std::size_t n = term.left.rows.size();
  std::size_t i = 0, j = 0;
  for (const Element& element : matrix) {
    const double left = term.left.values[i], right = term.right.values[j];
    if (std::fma(left, right, -element.value) != 0) return false;
    if (++j == n) j = ++i;
  }
  return true;
}

}  // namespace

std::vector<Term> TermsOf(std::span<const Element> matrix, Rounding rounding) {
  if (const std::optional<RankOne> one = AsRankOne(matrix)) {
    SparseVector left{one->rows, one->values};
    for (double& value : left.values) value *= one->scale;
    Term term = {std::move(left), {one->rows, one->values}};
    if (rounding == Rounding::kNone && !IsExactly(term, matrix)) {
      // Without a root: an element of the diagonal is itself times 1.
      if (matrix.size() > 1) return ByLines(matrix);
      term = {{{matrix[0].row}, {matrix[0].value}}, Unit(matrix[0].row)};
    }
    return {std::move(term)};
  }
  return ByLines(matrix);
}

std::size_t SizeOf(std::span<const Term> terms) {
  std::size_t size = 0;
  for (const Term& term : terms) size += term.left.rows.size() + term.right.rows.size();
  return size;
}

}  // namespace sdpa
