// A block for random programs: memory that the runtime works on, with gaps between its rows, and a
// twin that only the serial oracle changes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "taskrt/tile.h"

namespace taskrt {

using Random = std::mt19937_64;

// Less than `bound`; the same numbers on every platform.
inline std::uint64_t Draw(Random& random, std::uint64_t bound) { return random() % bound; }
inline bool OneIn(Random& random, std::uint64_t bound) { return Draw(random, bound) == 0; }

using Word = std::uint32_t;

// The words of a tile, row after row.
class Words {
 public:
  explicit Words(const Tile& tile) : tile_(tile), columns_(tile.row_bytes / sizeof(Word)) {}
  std::size_t size() const { return tile_.rows * columns_; }
  Word& operator[](std::size_t i) const {
    std::byte* const row = tile_.data + i / columns_ * tile_.stride;
    return reinterpret_cast<Word*>(row)[i % columns_];
  }

 private:
  Tile tile_;
  std::size_t columns_;
};

class RandomBlock {
 public:
  static constexpr std::size_t kMostRows = 3, kMostColumns = 6, kMostGap = 2;
  static constexpr std::uint64_t kMostBytes = kMostRows * kMostColumns * sizeof(Word);

  // New memory of a random shape for both.
  void Reshape(Random& random) {
    rows_ = 1 + Draw(random, kMostRows);
    columns_ = 1 + Draw(random, kMostColumns);
    stride_ = columns_ + Draw(random, kMostGap + 1);
    words_.assign(rows_ * stride_, kGap);
    twin_.assign(rows_ * columns_, 0);
    Fill(random);
  }
  // The same random words for both, as a user writes them.
  void Fill(Random& random) {
    const Words mine(tile()), its(twin());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      mine[i] = its[i] = static_cast<Word>(random());
    }
  }

  Tile tile() { return TileOf(words_, stride_); }
  Tile twin() { return TileOf(twin_, columns_); }

  // What the oracle has; does the runtime's memory have it?
  const std::vector<Word>& expected() const { return twin_; }
  bool Has(const std::vector<Word>& words) {
    const Words mine(tile());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] != words[i]) return false;
    }
    return true;
  }

  // Empty: both have the same words, and nobody has written to the gaps.
  std::string Difference() {
    const Words mine(tile()), its(twin());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] == its[i]) continue;
      return "word " + std::to_string(i) + " of " + std::to_string(mine.size()) + " is " +
             std::to_string(mine[i]) + ", by serial execution " + std::to_string(its[i]);
    }
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (at % stride_ >= columns_ && words_[at] != kGap) return "a gap was written to";
    }
    return "";
  }

 private:
  static constexpr Word kGap = 0xdeadbeef;

  Tile TileOf(std::vector<Word>& words, std::size_t stride) const {
    return {reinterpret_cast<std::byte*>(words.data()), rows_, columns_ * sizeof(Word),
            stride * sizeof(Word)};
  }

  std::size_t rows_ = 1, columns_ = 1, stride_ = 1;
  std::vector<Word> words_, twin_;
};

}  // namespace taskrt
