#include "apps/sdpa/linear/aggregate.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sdpa {

namespace {

// Which elements of a block any matrix has: a byte each. A value.
class Places {
 public:
  Places() = default;
  // With the diagonal.
  explicit Places(std::size_t n) : n_(n), count_(n), is_there_(n * n, 0) {
    for (std::size_t i = 0; i < n; ++i) is_there_[i * (n + 1)] = 1;
  }

  // No pattern is wanted, or no more: a product of few elements takes this many times as long as
  // one of the BLAS' many.
  bool IsUseless() const {
    constexpr std::size_t kTimes = 6;
    return count_ * kTimes > n_ * n_ || is_there_.empty();
  }
  void Forget() { is_there_ = {}; }

  // And its mirror image.
  void Add(const Element& element) {
    const auto i = static_cast<std::size_t>(element.row),
               j = static_cast<std::size_t>(element.column);
    Mark(i * n_ + j);
    Mark(j * n_ + i);
  }

  std::size_t count() const { return count_; }
  std::span<const char> row(std::size_t i) const {
    return std::span(is_there_).subspan(i * n_, n_);
  }

 private:
  void Mark(std::size_t place) {
    count_ += is_there_[place] == 0 ? 1 : 0;
    is_there_[place] = 1;
  }

  std::size_t n_ = 0, count_ = 0;
  std::vector<char> is_there_;
};

}  // namespace

Aggregate::Aggregate(const Problem& problem, const Layout& layout) : blocks_(layout.blocks.size()) {
  std::vector<Places> places(blocks_.size());
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    const auto n = static_cast<std::size_t>(layout.blocks[l].size);
    // For small blocks nothing is gained.
    constexpr std::size_t kSmall = 64;
    if (layout.blocks[l].shape == Shape::kDense && n >= kSmall) places[l] = Places(n);
  }
  for (const SparseMatrix& matrix : problem.matrices) {
    for (const auto& [number, elements] : matrix) {
      Places& of_block = places[static_cast<std::size_t>(number)];
      for (const Element& element : elements) {
        if (of_block.IsUseless()) break;
        of_block.Add(element);
      }
      if (of_block.IsUseless()) of_block.Forget();
    }
  }
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    if (places[l].IsUseless()) continue;
    OfBlock& block = blocks_[l];
    block.begin = {0};
    block.columns.reserve(places[l].count());
    for (int i = 0; i < layout.blocks[l].size; ++i) {
      const std::span<const char> row = places[l].row(static_cast<std::size_t>(i));
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] != 0) block.columns.push_back(static_cast<int>(j));
      }
      block.begin.push_back(block.columns.size());
    }
    places[l].Forget();
  }
}

}  // namespace sdpa
