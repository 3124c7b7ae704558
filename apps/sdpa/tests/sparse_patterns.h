// Sparse symmetric matrices of many shapes, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "apps/sdpa/sparse/sparse_pattern.h"

namespace sdpa {

using Pairs = std::vector<std::pair<int, int>>;

// With the diagonal, and each pair once.
inline SparsePattern PatternOf(int size, Pairs pairs) {
  for (auto& [column, row] : pairs) {
    if (column > row) std::swap(column, row);
  }
  for (int i = 0; i < size; ++i) pairs.push_back({i, i});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  SparsePattern pattern;
  pattern.column_begin.assign(static_cast<std::size_t>(size) + 1, 0);
  for (const auto& [column, row] : pairs) {
    ++pattern.column_begin[static_cast<std::size_t>(column) + 1];
    pattern.rows.push_back(row);
  }
  std::partial_sum(pattern.column_begin.begin(), pattern.column_begin.end(),
                   pattern.column_begin.begin());
  return pattern;
}

// A square of `side` x `side` points, joined with those beside them.
inline SparsePattern Grid(int side) {
  Pairs pairs;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (j + 1 < side) pairs.push_back({i * side + j, i * side + j + 1});
      if (i + 1 < side) pairs.push_back({i * side + j, (i + 1) * side + j});
    }
  }
  return PatternOf(side * side, pairs);
}

inline SparsePattern Full(int size) {
  Pairs pairs;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < i; ++j) pairs.push_back({j, i});
  }
  return PatternOf(size, pairs);
}

// Cliques of `clique` columns, each of which begins `step` columns after the one before.
inline SparsePattern Cliques(int size, int clique, int step) {
  Pairs pairs;
  for (int first = 0; first < size; first += step) {
    for (int i = first; i < std::min(first + clique, size); ++i) {
      for (int j = first; j < i; ++j) pairs.push_back({j, i});
    }
  }
  return PatternOf(size, pairs);
}

// A graph of one of many shapes, its vertices in any order.
inline SparsePattern RandomPattern(std::mt19937_64& random, int most = 60) {
  const int size = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(most));
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(std::max(end, 1)));
  };
  Pairs pairs;
  switch (random() % 8) {
    case 0:  // the diagonal alone
      break;
    case 1:  // any pairs, few or many, so that parts may be separate
      for (int count = below(1 + 2 * size * (1 + below(3))); count > 0; --count) {
        pairs.push_back({below(size), below(size)});
      }
      break;
    case 2:  // banded
      for (int i = 0, width = 1 + below(5); i < size; ++i) {
        for (int j = std::max(0, i - width); j < i; ++j) pairs.push_back({j, i});
      }
      break;
    case 3:  // arrows
      for (int head = 1 + below(3); head > 0; --head) {
        for (int i = 0; i < size; ++i) pairs.push_back({size - std::min(head, size), i});
      }
      break;
    case 4: {  // a chain of cliques, or separate ones
      const int step = 1 + below(6);
      const SparsePattern cliques = Cliques(size, step + below(4), step);
      for (int j = 0; j < size; ++j) {
        for (const int i : cliques.column(j)) pairs.push_back({j, i});
      }
      break;
    }
    case 5: {  // a grid, and what is left alone
      const int side = static_cast<int>(std::sqrt(size));
      const SparsePattern grid = Grid(side);
      for (int j = 0; j < grid.size(); ++j) {
        for (const int i : grid.column(j)) pairs.push_back({j, i});
      }
      break;
    }
    case 6:  // a tree
      for (int i = 1; i < size; ++i) pairs.push_back({below(i), i});
      break;
    default:  // nearly full
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
          if (random() % 8 != 0) pairs.push_back({j, i});
        }
      }
  }
  std::vector<int> names(static_cast<std::size_t>(size));
  std::iota(names.begin(), names.end(), 0);
  if (random() % 4 != 0) std::shuffle(names.begin(), names.end(), random);
  for (auto& [column, row] : pairs) {
    column = names[static_cast<std::size_t>(column)];
    row = names[static_cast<std::size_t>(row)];
  }
  return PatternOf(size, pairs);
}

}  // namespace sdpa
