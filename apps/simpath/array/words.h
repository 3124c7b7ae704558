// The words that say how the vertices of a grid's frontier are joined, and their ranks. Pure.
//
// A symbol a vertex: '0' where no path ends in it, '(' and ')' for the two ends of a path, '|' for
// the path that has its other end in the source. Paths do not cross, and the source is a corner, so
// the parentheses are balanced and none encloses the '|'. Words of a length are ranked in
// lexicographic order of '0' < '(' < ')' < '|': those with a common beginning are consecutive, and
// how the word goes on depends on the state after that beginning only.
//
// Source: H. Iwashita, Y. Nakazawa, J. Kawahara, T. Uno and S. Minato, Efficient Computation of the
// Number of Paths in a Grid Graph with Minimal Perfect Hash Functions, TCS-TR-A-13-64, 2013.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simpath {

enum class Symbol { kNone, kOpen, kClose, kSource };

// A value: what of a word's beginning decides how it may go on.
struct WordState {
  int left = 0;         // symbols to come
  int depth = 0;        // of open parentheses
  bool source = false;  // the '|' has come

  friend bool operator==(const WordState&, const WordState&) = default;
};

// Whether the symbol may follow, though the word may then be impossible to end.
constexpr bool MayFollow(const WordState& state, Symbol symbol) {
  switch (symbol) {
    case Symbol::kClose:
      return state.depth > 0;
    case Symbol::kSource:
      return state.depth == 0 && !state.source;
    default:
      return true;
  }
}

constexpr WordState After(WordState state, Symbol symbol) {
  --state.left;
  if (symbol == Symbol::kOpen) ++state.depth;
  if (symbol == Symbol::kClose) --state.depth;
  if (symbol == Symbol::kSource) state.source = true;
  return state;
}

// A value. Threads: any may read.
class Words {
 public:
  // For words of up to so many symbols.
  explicit Words(int most) : most_(most), counts_(Index({most, most + 1, true}) + 1) {
    for (int left = 0; left <= most; ++left) {
      for (int depth = 0; depth <= most; ++depth) {
        for (const bool source : {true, false}) Fill({left, depth, source});
      }
    }
  }

  // How many words begin as that state was come to; none for a depth that is too large.
  std::uint64_t Count(const WordState& state) const {
    return state.depth > state.left ? 0 : counts_[Index(state)];
  }
  std::uint64_t CountAll(int length) const { return Count({length, 0, false}); }

  // Of the words that go on from a state, how many come before those that go on with the symbol.
  std::uint64_t Before(const WordState& state, Symbol symbol) const {
    std::uint64_t words = 0;
    for (const Symbol earlier : {Symbol::kNone, Symbol::kOpen, Symbol::kClose}) {
      if (earlier == symbol) break;
      if (MayFollow(state, earlier)) words += Count(After(state, earlier));
    }
    return words;
  }

 private:
  std::size_t Index(const WordState& state) const {
    const auto row = static_cast<std::size_t>(state.left) * static_cast<std::size_t>(most_ + 2) +
                     static_cast<std::size_t>(state.depth);
    return 2 * row + (state.source ? 1 : 0);
  }

  void Fill(const WordState& state) {
    std::uint64_t& words = counts_[Index(state)];
    if (state.left == 0) {
      words = state.depth == 0 && state.source ? 1 : 0;
      return;
    }
    for (const Symbol symbol : {Symbol::kNone, Symbol::kOpen, Symbol::kClose, Symbol::kSource}) {
      if (MayFollow(state, symbol)) words += Count(After(state, symbol));
    }
  }

  int most_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace simpath
