// What passing an edge of a grid does to the numbers of words, as runs of ranks. Pure.
//
// The vertices are passed row by row. The frontier has one vertex of each column: of the current
// row, or, in the columns that are passed, of the row below. A vertex' symbol says where the path
// goes that has come to it from above or, in the current row, from the left. A vertex that paths
// have come to from both sides is done. No word can say that, so the words with a done vertex have
// an array of their own, in which they are ranked as the words of all other vertices.
//
// Passing a column decides two edges of its vertex: that to the vertex on the right, and that to
// the row below. Numbers move between words that differ in the symbols of the vertex and the one on
// its right, and, where two paths are joined, in the symbol of the other end of one path:
//
//     0 0  ->  ( )                 both ends are new
//     0 x  ->  x done              the path that ended in the right vertex ends in the left one
//     x 0  ->  0 x                 and the other way round
//     ) (  ->  0 done              two paths become one, whose ends are as they were
//     ( (  ->  0 done              the partner of the right ( becomes (
//     ) )  ->  0 done              the partner of the left ) becomes )
//     | (  and  ) |  ->  0 done    the partner becomes |
//
// What follows these two symbols is ranked alike in all of these words, so numbers move in runs.
//
// Source: as words.h; the edge from column to column and that to the row below are one step here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "apps/simpath/array/words.h"

namespace simpath {

inline constexpr std::initializer_list<Symbol> kSymbols = {Symbol::kNone, Symbol::kOpen,
                                                           Symbol::kClose, Symbol::kSource};

// A value. The same beginning but for one symbol, the end of a path or of the source's, which is a
// '(' that waits for the path which joins it.
struct Variant {
  WordState state;
  std::uint64_t open = 0;  // the first rank of these words
  int depth = 0;           // where a vertex sees the changed end: no path is between them
  bool source = false;     // the changed end is the source's
  int origin = 0;          // the caller's
};

// A value: a beginning of words, the first rank of these among all words, and of the words of one
// symbol less that begin so, which have another number for a vertex that is done.
struct Beginning {
  WordState state;
  std::uint64_t open = 0, done = 0;
  std::vector<Variant> variants;
};

constexpr WordState WithoutOne(WordState state) {
  --state.left;
  return state;
}

inline Beginning Longer(const Words& words, const Beginning& beginning, Symbol symbol) {
  const WordState& state = beginning.state;
  Beginning longer = {.state = After(state, symbol),
                      .open = beginning.open + words.Before(state, symbol),
                      .done = beginning.done + words.Before(WithoutOne(state), symbol),
                      .variants = {}};
  const auto add_variant = [&](int depth, bool source) {
    longer.variants.push_back({.state = After(state, Symbol::kOpen),
                               .open = beginning.open + words.Before(state, Symbol::kOpen),
                               .depth = depth,
                               .source = source});
  };
  if (symbol == Symbol::kSource) {
    // Nothing joins what is left of the source's path with what is right of it.
    add_variant(0, true);
    return longer;
  }
  for (Variant variant : beginning.variants) {
    // What is within a path is not seen from behind its end.
    if (symbol == Symbol::kClose && variant.depth >= state.depth) continue;
    variant.open += words.Before(variant.state, symbol);
    variant.state = After(variant.state, symbol);
    longer.variants.push_back(variant);
  }
  if (symbol == Symbol::kClose) add_variant(state.depth - 1, false);
  return longer;
}

// visit(beginning) for all that are `length` symbols longer and that some word begins with, upward.
template <typename Visit>
void ForEachLonger(const Words& words, const Beginning& beginning, int length, const Visit& visit) {
  if (words.Count(beginning.state) == 0) return;
  if (length == 0) return visit(beginning);
  for (const Symbol symbol : kSymbols) {
    if (!MayFollow(beginning.state, symbol)) continue;
    ForEachLonger(words, Longer(words, beginning, symbol), length - 1, visit);
  }
}

// The two vertices come after this beginning. Each call hands a run to `to`, which applies it
// before the next one:
//
//   to.MoveEnd(right, left, done, count)
//   to.StartPath(none, both, joined, done, count)   joined: a rank, or kNothing
//   to.Join(origin, from, done, count)              from: a rank, of the variant's words where it
//                                                   has an origin
//   to.JoinRight(from, state, done, rest, 0, symbol)  as below
inline constexpr std::uint64_t kNothing = ~std::uint64_t{0};

template <typename To>
void Pass(const Words& words, const Beginning& beginning, To& to) {
  const WordState state = beginning.state, shorter = WithoutOne(state);
  const auto first = [&](const WordState& from, std::uint64_t rank, Symbol one, Symbol other) {
    return rank + words.Before(from, one) + words.Before(After(from, one), other);
  };
  const auto open = [&](Symbol one, Symbol other) {
    return first(state, beginning.open, one, other);
  };
  for (const Symbol end : {Symbol::kOpen, Symbol::kClose, Symbol::kSource}) {
    if (!MayFollow(state, end)) continue;
    to.MoveEnd(open(Symbol::kNone, end), open(end, Symbol::kNone),
               beginning.done + words.Before(shorter, end), words.Count(After(shorter, end)));
  }
  const WordState rest = After(shorter, Symbol::kNone);
  const std::uint64_t count = words.Count(rest);
  to.StartPath(open(Symbol::kNone, Symbol::kNone), open(Symbol::kOpen, Symbol::kClose),
               state.depth > 0 ? open(Symbol::kClose, Symbol::kOpen) : kNothing, beginning.done,
               count);
  for (const Variant& variant : beginning.variants) {
    if (variant.depth != state.depth) continue;
    const Symbol other = variant.source ? Symbol::kSource : Symbol::kClose;
    to.Join(variant.origin, first(variant.state, variant.open, Symbol::kClose, other),
            beginning.done, count);
  }
  for (const Symbol one : {Symbol::kOpen, Symbol::kSource}) {
    if (!MayFollow(state, one)) continue;
    to.JoinRight(open(one, Symbol::kOpen), After(After(state, one), Symbol::kOpen), beginning.done,
                 rest, 0, one);
  }
}

// Of the words from `from` on, which go on from `state`: those from `done` on, which go on from
// `rest`, are the same but for the partner of the last '(', which has become `symbol`. `within` are
// the parentheses that have been opened since. Calls `to` as Pass does; to.JoinRight goes on with
// longer ones.
template <typename To>
void JoinRight(const Words& words, std::uint64_t from, const WordState& state, std::uint64_t done,
               const WordState& rest, int within, Symbol symbol, To& to) {
  const auto go_on = [&](Symbol next, int deeper) {
    to.JoinRight(from + words.Before(state, next), After(state, next),
                 done + words.Before(rest, next), After(rest, next), deeper, symbol);
  };
  if (words.Count(state) == 0) return;
  go_on(Symbol::kNone, within);
  go_on(Symbol::kOpen, within + 1);
  if (within > 0) return go_on(Symbol::kClose, within - 1);
  to.Join(0, from + words.Before(state, Symbol::kClose), done + words.Before(rest, symbol),
          words.Count(After(state, Symbol::kClose)));
}

}  // namespace simpath
