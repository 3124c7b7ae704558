// The words of one grid's frontier, and the parts in which threads take them. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/simpath/array/passing.h"
#include "apps/simpath/array/row_moves.h"
#include "apps/simpath/array/words.h"

namespace simpath {

// A value: the words of a grid of so many columns, and how they are cut. Threads: any may read.
class GridWords {
 public:
  // A row is what goes on from a beginning of the first columns.
  struct Part {
    std::size_t first_row, last_row;
    std::uint64_t begin, end;  // of done
  };

  // In about so many parts for threads to take.
  GridWords(int width, int parts)
      : width_(width),
        words_(width + 2),
        head_(std::max(0, width - 1 - kTail)),
        rows_(words_, width - 1 - head_, head_) {
    for (int length = 0; length <= head_; ++length) {
      beginnings_.emplace_back();
      ForEachLonger(words_, {.state = {width, 0, false}, .open = 0, .done = 0, .variants = {}},
                    length,
                    [&](const Beginning& beginning) { beginnings_.back().push_back(beginning); });
    }
    const std::vector<Beginning>& rows = beginnings_.back();
    const std::uint64_t most = done_words() / static_cast<std::uint64_t>(parts) + 1;
    Part part = {0, 0, 0, 0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      part.last_row = i + 1;
      part.end = i + 1 < rows.size() ? rows[i + 1].done : done_words();
      if (part.end - part.begin < most && i + 1 < rows.size()) continue;
      parts_.push_back(part);
      part = {i + 1, i + 1, part.end, part.end};
    }
  }

  int width() const { return width_; }
  int head() const { return head_; }  // columns of a row's beginning
  const Words& words() const { return words_; }
  const RowTables& rows() const { return rows_; }
  const std::vector<Beginning>& beginnings(int length) const {
    return beginnings_[static_cast<std::size_t>(length)];
  }
  const std::vector<Part>& parts() const { return parts_; }
  std::uint64_t open_words() const { return words_.CountAll(width_); }
  std::uint64_t done_words() const { return words_.CountAll(width_ - 1); }

  // The rank of the word whose only path ends in this column.
  std::uint64_t OnlySourceAt(int column) const {
    WordState state = {width_, 0, false};
    std::uint64_t rank = 0;
    for (int i = 0; i < width_; ++i) {
      const Symbol symbol = i == column ? Symbol::kSource : Symbol::kNone;
      rank += words_.Before(state, symbol);
      state = After(state, symbol);
    }
    return rank;
  }

 private:
  static constexpr int kTail = 8;  // symbols of a row of words of one less: a first cache has it

  int width_;
  Words words_;
  int head_;
  RowTables rows_;
  std::vector<std::vector<Beginning>> beginnings_;  // by length
  std::vector<Part> parts_;
};

}  // namespace simpath
