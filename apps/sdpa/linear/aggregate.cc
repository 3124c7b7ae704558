#include "apps/sdpa/linear/aggregate.h"

#include <algorithm>
#include <utility>

namespace sdpa {

Aggregate::Aggregate(const Problem& problem, const Layout& layout) : blocks_(layout.blocks.size()) {
  using Place = std::pair<int, int>;
  std::vector<std::vector<Place>> places(blocks_.size());
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    if (layout.blocks[l].shape == Shape::kDiagonal) continue;
    for (int i = 0; i < layout.blocks[l].size; ++i) places[l].push_back({i, i});
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const auto& [number, elements] : matrix) {
      const auto l = static_cast<std::size_t>(number);
      if (layout.blocks[l].shape == Shape::kDiagonal) continue;
      for (const auto [row, column, value] : elements) {
        if (row == column) continue;
        places[l].push_back({row, column});
        places[l].push_back({column, row});
      }
    }
  }
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    std::sort(places[l].begin(), places[l].end());
    places[l].erase(std::unique(places[l].begin(), places[l].end()), places[l].end());
    const auto n = static_cast<std::size_t>(layout.blocks[l].size);
    // A product of few elements takes this many times as long as one of the BLAS' many; for small
    // blocks nothing is gained.
    constexpr std::size_t kTimes = 6, kSmall = 64;
    if (layout.blocks[l].shape == Shape::kDiagonal || n < kSmall ||
        places[l].size() * kTimes > n * n) {
      continue;
    }
    OfBlock& block = blocks_[l];
    block.begin.assign(n + 1, 0);
    for (const auto& [row, column] : places[l]) {
      ++block.begin[static_cast<std::size_t>(row) + 1];
      block.columns.push_back(column);
    }
    for (std::size_t i = 0; i < n; ++i) block.begin[i + 1] += block.begin[i];
  }
}

}  // namespace sdpa
