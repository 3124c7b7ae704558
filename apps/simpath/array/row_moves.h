// What passing.h does to the last columns of a grid, written down: of words whose beginnings come
// to the same state, the same numbers move. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/simpath/array/passing.h"
#include "apps/simpath/array/words.h"

namespace simpath {

// A value: ranks of a row, the words that go on from one beginning.
struct RowMoves {
  struct MovedEnd {
    std::uint32_t right, left, done;
  };
  struct StartedPath {
    std::uint32_t none, both, joined, done;
  };
  struct Pair {
    std::uint32_t open, done;
  };

  std::vector<MovedEnd> moved_ends;
  std::vector<StartedPath> started_paths;  // nothing is joined where joined is none
  std::vector<Pair> joins;                 // within the row
  // With the row of a variant of the beginning, by its depth; the last: of the source's.
  std::vector<std::vector<Pair>> variant_joins;
};

// A value. Threads: any may read.
class RowTables {
 public:
  // Rows of words of all columns have `done_length` + 1 symbols, those of one less `done_length`.
  RowTables(const Words& words, int done_length, int most_depth)
      : words_(&words), done_length_(done_length) {
    for (int depth = 0; depth <= most_depth; ++depth) {
      for (const bool source : {false, true}) {
        const WordState state = {done_length + 1, depth, source};
        if (words.Count(state) == 0) continue;
        RecordRightJoins(WithoutOne(state));
        std::vector<RowMoves>& of_state = moves_[{depth, source}];
        for (int column = 0; column < done_length; ++column) {
          of_state.push_back(Recorded(state, column));
        }
        std::vector<RowMoves::Pair>& ends = ends_[{depth, source}];
        ForEachLonger(words, {.state = state, .open = 0, .done = 0, .variants = {}}, done_length,
                      [&](const Beginning& beginning) {
                        if (words.Count(After(beginning.state, Symbol::kNone)) == 0) return;
                        ends.push_back(ToPair(beginning.open, beginning.done));
                      });
      }
    }
  }

  int done_length() const { return done_length_; }
  // For the pair that begins with the row's symbol `column`.
  const RowMoves& moves(int depth, bool source, int column) const {
    return moves_.at({depth, source})[static_cast<std::size_t>(column)];
  }
  // The words of all columns that end with a '0', with that word without it.
  const std::vector<RowMoves::Pair>& ends(int depth, bool source) const {
    return ends_.at({depth, source});
  }
  // What JoinRight does when done_length symbols are left.
  const std::vector<RowMoves::Pair>& right_joins(const WordState& rest, int within,
                                                 Symbol symbol) const {
    return right_joins_.at({rest.depth, rest.source, within, symbol});
  }

 private:
  static RowMoves::Pair ToPair(std::uint64_t open, std::uint64_t done) {
    return {static_cast<std::uint32_t>(open), static_cast<std::uint32_t>(done)};
  }

  struct Recorder {
    const Words* words;
    RowMoves moves;

    void MoveEnd(std::uint64_t right, std::uint64_t left, std::uint64_t done, std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) {
        moves.moved_ends.push_back({static_cast<std::uint32_t>(right + i),
                                    static_cast<std::uint32_t>(left + i),
                                    static_cast<std::uint32_t>(done + i)});
      }
    }
    void StartPath(std::uint64_t none, std::uint64_t both, std::uint64_t joined, std::uint64_t done,
                   std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) {
        moves.started_paths.push_back(
            {static_cast<std::uint32_t>(none + i), static_cast<std::uint32_t>(both + i),
             static_cast<std::uint32_t>((joined == kNothing ? none : joined) + i),
             static_cast<std::uint32_t>(done + i)});
      }
    }
    void Join(int origin, std::uint64_t from, std::uint64_t done, std::uint64_t count) {
      auto& joins =
          origin == 0 ? moves.joins : moves.variant_joins[static_cast<std::size_t>(origin - 1)];
      for (std::uint64_t i = 0; i < count; ++i) joins.push_back(ToPair(from + i, done + i));
    }
    void JoinRight(std::uint64_t from, const WordState& state, std::uint64_t done,
                   const WordState& rest, int within, Symbol symbol) {
      simpath::JoinRight(*words, from, state, done, rest, within, symbol, *this);
    }
  };

  RowMoves Recorded(const WordState& state, int column) const {
    Recorder recorder{words_, {}};
    Beginning beginning = {.state = state, .open = 0, .done = 0, .variants = {}};
    for (int depth = 0; depth <= state.depth; ++depth) {
      beginning.variants.push_back({.state = {state.left, state.depth + 2, state.source},
                                    .open = 0,
                                    .depth = depth,
                                    .source = false,
                                    .origin = depth + 1});
    }
    if (state.source) {
      beginning.variants.push_back({.state = {state.left, state.depth + 1, false},
                                    .open = 0,
                                    .depth = 0,
                                    .source = true,
                                    .origin = state.depth + 2});
    }
    recorder.moves.variant_joins.resize(static_cast<std::size_t>(state.depth) + 2);
    ForEachLonger(*words_, beginning, column,
                  [&](const Beginning& longer) { Pass(*words_, longer, recorder); });
    return recorder.moves;
  }

  void RecordRightJoins(const WordState& rest) {
    const auto record = [&](int within, Symbol symbol, const WordState& state) {
      Recorder recorder{words_, {}};
      JoinRight(*words_, 0, state, 0, rest, within, symbol, recorder);
      right_joins_[{rest.depth, rest.source, within, symbol}] = std::move(recorder.moves.joins);
    };
    for (int within = 0; within <= rest.depth; ++within) {
      record(within, Symbol::kOpen, {rest.left, rest.depth + 2, rest.source});
    }
    if (!rest.source) record(rest.depth, Symbol::kSource, {rest.left, rest.depth + 1, true});
  }

  const Words* words_;
  int done_length_;
  std::map<std::pair<int, bool>, std::vector<RowMoves>> moves_;
  std::map<std::pair<int, bool>, std::vector<RowMoves::Pair>> ends_;
  std::map<std::tuple<int, bool, int, Symbol>, std::vector<RowMoves::Pair>> right_joins_;
};

}  // namespace simpath
