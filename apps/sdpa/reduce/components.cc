#include "apps/sdpa/reduce/components.h"

#include <map>
#include <numeric>

namespace sdpa {
namespace {

// The row that stands for the component of a row, in a forest of parents.
int RootOf(std::vector<int>& parents, int row) {
  while (parents[static_cast<std::size_t>(row)] != row) {
    int& parent = parents[static_cast<std::size_t>(row)];
    parent = parents[static_cast<std::size_t>(parent)];
    row = parent;
  }
  return row;
}

// Of each block and row the least row of its component.
std::vector<std::vector<int>> RootsOf(const Problem& problem) {
  std::vector<std::vector<int>> parents;
  for (const Block& block : problem.blocks) {
    std::vector<int>& of_block = parents.emplace_back(block.size);
    std::iota(of_block.begin(), of_block.end(), 0);
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const auto& [block, elements] : matrix) {
      auto& of_block = parents[static_cast<std::size_t>(block)];
      for (const Element& element : elements) {
        if (element.row == element.column) continue;
        const int one = RootOf(of_block, element.row), other = RootOf(of_block, element.column);
        of_block[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
      }
    }
  }
  for (auto& of_block : parents) {
    for (std::size_t row = 0; row < of_block.size(); ++row) {
      of_block[row] = RootOf(of_block, static_cast<int>(row));
    }
  }
  return parents;
}

}  // namespace

std::optional<Components> Components::Of(const Problem& problem) {
  std::vector<std::vector<int>> roots = RootsOf(problem);
  bool is_several = false;
  for (std::size_t l = 0; l < roots.size(); ++l) {
    if (problem.blocks[l].shape == Shape::kDiagonal) {
      std::fill(roots[l].begin(), roots[l].end(), 0);
    }
    is_several = is_several ||
                 std::any_of(roots[l].begin(), roots[l].end(), [](int root) { return root != 0; });
  }
  if (!is_several) return std::nullopt;

  Components components;
  for (std::size_t l = 0; l < roots.size(); ++l) {
    const bool is_dense = problem.blocks[l].shape == Shape::kDense;
    components.is_whole_dense_.push_back(is_dense);
    components.AddBlock(std::move(roots[l]));
    if (!is_dense) components.split_.blocks.back().shape = Shape::kDiagonal;
  }
  components.split_.costs = problem.costs;
  for (const SparseMatrix& matrix : problem.matrices) {
    components.split_.matrices.push_back(components.SplitOf(matrix));
  }
  return components;
}

// A block for each component of more rows than one, in the order of their least rows, and one for
// all others.
void Components::AddBlock(std::vector<int> roots) {
  const auto n = roots.size();
  const int block = static_cast<int>(places_.size());
  std::vector<std::vector<int>> by_root(n);
  for (std::size_t row = 0; row < n; ++row) {
    by_root[static_cast<std::size_t>(roots[row])].push_back(static_cast<int>(row));
  }
  std::vector<Place>& places = places_.emplace_back(n);
  std::vector<int> singles;
  const auto add = [&](std::vector<int> rows, Shape shape) {
    const int number = static_cast<int>(rows_.size()), size = static_cast<int>(rows.size());
    for (int i = 0; i < size; ++i) {
      const int row = rows[static_cast<std::size_t>(i)];
      places[static_cast<std::size_t>(row)] = {number, i};
    }
    split_.blocks.push_back({shape, size});
    rows_.emplace_back(block, std::move(rows));
  };
  for (std::vector<int>& rows : by_root) {
    if (rows.size() == 1) singles.push_back(rows[0]);
    if (rows.size() > 1) add(std::move(rows), Shape::kDense);
  }
  if (!singles.empty()) add(std::move(singles), Shape::kDiagonal);
}

SparseMatrix Components::SplitOf(const SparseMatrix& matrix) const {
  std::map<int, std::vector<Element>> by_block;
  for (const auto& [block, elements] : matrix) {
    const std::vector<Place>& places = places_[static_cast<std::size_t>(block)];
    // Their order stays: rows of a component are in the order that they had.
    for (const auto [row, column, value] : elements) {
      const Place place = places[static_cast<std::size_t>(row)];
      by_block[place.block].push_back(
          {place.row, places[static_cast<std::size_t>(column)].row, value});
    }
  }
  SparseMatrix split;
  for (auto& [block, elements] : by_block) split.push_back({block, std::move(elements)});
  return split;
}

SolutionValues Components::Whole(const SolutionValues& of_split) const {
  SolutionValues whole = {.x = of_split.x, .slack = {}, .dual = {}};
  whole.low.x = of_split.low.x;
  const auto set = [&](const std::vector<std::vector<double>>& from,
                       std::vector<std::vector<double>>& to) {
    if (from.empty()) return;
    for (std::size_t l = 0; l < places_.size(); ++l) {
      const std::size_t n = places_[l].size();
      to.emplace_back(is_whole_dense_[l] ? n * n : n, 0.0);
    }
    ForEachPair([&](std::size_t block, std::size_t at, std::size_t of, std::size_t from_at) {
      to[block][at] = from[of][from_at];
    });
  };
  set(of_split.slack, whole.slack);
  set(of_split.dual, whole.dual);
  set(of_split.low.slack, whole.low.slack);
  set(of_split.low.dual, whole.low.dual);
  return whole;
}

SolutionValues Components::Split(const SolutionValues& whole) const {
  SolutionValues split = {.x = whole.x, .slack = {}, .dual = {}};
  split.low.x = whole.low.x;
  const auto set = [&](const std::vector<std::vector<double>>& from,
                       std::vector<std::vector<double>>& to) {
    if (from.empty()) return;
    for (const auto& [shape, size] : split_.blocks) {
      const auto k = static_cast<std::size_t>(size);
      to.emplace_back(shape == Shape::kDense ? k * k : k, 0.0);
    }
    ForEachPair([&](std::size_t block, std::size_t at, std::size_t of, std::size_t to_at) {
      to[of][to_at] = from[block][at];
    });
  };
  set(whole.slack, split.slack);
  set(whole.dual, split.dual);
  set(whole.low.slack, split.low.slack);
  set(whole.low.dual, split.low.dual);
  return split;
}

}  // namespace sdpa
