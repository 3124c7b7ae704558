#include "apps/sdpa/interior_point/short_products.h"

#include <cmath>
#include <utility>

namespace sdpa {
namespace {

// A matrix of fewer elements than these times its rows is as good by its elements.
constexpr double kFewTimes = 4;

// left right', where it is of rank 1 and has many elements; else none.
std::vector<Term> RankOneOf(const BlockElements& matrix, const Block& block, Rounding rounding) {
  if (block.shape == Shape::kDiagonal) return {};
  if (static_cast<double>(matrix.elements.size()) < kFewTimes * block.size) return {};
  std::vector<Term> terms = TermsOf(matrix.elements, rounding);
  if (terms.size() != 1) return {};
  return terms;
}

}  // namespace

ShortProducts::ShortProducts(const Problem& problem, std::shared_ptr<const Layout> layout,
                             Rounding rounding)
    : layout_(std::move(layout)), blocks_(layout_->blocks.size()) {
  Choose(problem, rounding);
  if (are_short_) AddPattern(problem);
}

// The elements that are not by their rank are counted, each as often as matrices have it: patterns
// overlap little where they are small.
void ShortProducts::Choose(const Problem& problem, Rounding rounding) {
  // An element of a product by itself takes some times as long as one of the BLAS' many.
  constexpr double kTimes = 6, kGain = 0.5;
  double all = 0, mine = 0;
  for (const Block& block : layout_->blocks) {
    if (block.shape == Shape::kDense) all += std::pow(block.size, 3);
  }
  const double most = kGain * all;
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    for (const BlockElements& matrix : problem.matrices[i + 1]) {
      const auto l = static_cast<std::size_t>(matrix.block);
      const Block& block = layout_->blocks[l];
      if (block.shape == Shape::kDiagonal) continue;
      std::vector<Term> terms = RankOneOf(matrix, block, rounding);
      const auto n = static_cast<double>(block.size);
      if (terms.empty()) {
        mine += kTimes * 2 * n * static_cast<double>(matrix.elements.size());
      } else {
        // It is multiplied with two matrices, and added to a third.
        mine += kTimes * 3 * n * static_cast<double>(terms[0].left.rows.size());
        blocks_[l].of_rank_one.push_back({i, std::move(terms[0])});
      }
      if (mine > most) {
        blocks_.clear();
        return;
      }
    }
  }
  are_short_ = all > 0;
}

void ShortProducts::AddPattern(const Problem& problem) {
  const auto is_by_vector = [&](std::size_t l, std::size_t i) {
    const auto& of = blocks_[l].of_rank_one;
    const auto at = std::lower_bound(
        of.begin(), of.end(), i,
        [](const OfRankOne& one, std::size_t constraint) { return one.constraint < constraint; });
    return at != of.end() && at->constraint == i;
  };
  // By block and row the columns.
  std::vector<std::vector<std::pair<int, int>>> places(blocks_.size());
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    for (const BlockElements& matrix : problem.matrices[i + 1]) {
      const auto l = static_cast<std::size_t>(matrix.block);
      if (layout_->blocks[l].shape == Shape::kDiagonal || is_by_vector(l, i)) continue;
      for (const Element& element : matrix.elements) {
        places[l].emplace_back(element.row, element.column);
      }
    }
  }
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    OfBlock& of = blocks_[l];
    of.first = places_;
    of.first_of_rank_one = vectors_;
    vectors_ += of.of_rank_one.size();
    const auto n = static_cast<std::size_t>(layout_->blocks[l].size);
    if (layout_->blocks[l].shape == Shape::kDiagonal) {
      places_ += n;
      continue;
    }
    auto& all = places[l];
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    places_ += all.size();
    of.begin.assign(n + 1, 0);
    of.all_begin.assign(n + 1, 0);
    for (const auto& [row, column] : all) {
      of.columns.push_back(column);
      ++of.begin[static_cast<std::size_t>(row) + 1];
      ++of.all_begin[static_cast<std::size_t>(row) + 1];
      if (row != column) ++of.all_begin[static_cast<std::size_t>(column) + 1];
    }
    for (std::size_t i = 0; i < n; ++i) {
      of.begin[i + 1] += of.begin[i];
      of.all_begin[i + 1] += of.all_begin[i];
    }
    of.all.resize(of.all_begin[n]);
    std::vector<std::size_t> next(of.all_begin.begin(), of.all_begin.end() - 1);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto [row, column] = all[k];
      of.all[next[static_cast<std::size_t>(row)]++] = {column, of.first + k};
      if (row == column) continue;
      of.all[next[static_cast<std::size_t>(column)]++] = {row, of.first + k};
    }
  }
  begin_ = {0};
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    for (const BlockElements& matrix : problem.matrices[i + 1]) {
      const auto l = static_cast<std::size_t>(matrix.block);
      const OfBlock& of = blocks_[l];
      const bool is_diagonal = layout_->blocks[l].shape == Shape::kDiagonal;
      if (!is_diagonal && is_by_vector(l, i)) continue;
      for (const auto [row, column, value] : matrix.elements) {
        const auto at = static_cast<std::size_t>(row);
        if (is_diagonal) {
          entries_.push_back({of.first + at, value});
          continue;
        }
        const auto columns = of.columns.begin();
        const auto place =
            std::lower_bound(columns + static_cast<std::ptrdiff_t>(of.begin[at]),
                             columns + static_cast<std::ptrdiff_t>(of.begin[at + 1]), column);
        entries_.push_back({of.first + static_cast<std::size_t>(place - columns),
                            row == column ? value : 2 * value});
      }
    }
    begin_.push_back(entries_.size());
  }
}

}  // namespace sdpa
