// The number of ways to come to each word of a grid's frontier, in two arrays that are changed in
// place (passing.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/simpath/array/grid_words.h"
#include "apps/simpath/array/passing.h"
#include "apps/simpath/array/row_moves.h"
#include "apps/simpath/array/words.h"

namespace simpath {

// Sums modulo 2^64.
struct ModuloWord {
  std::uint64_t Add(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

// Sums modulo a number below 2^63.
struct ModuloPrime {
  std::uint64_t modulus = 0;

  std::uint64_t Add(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t sum = a + b;
    return std::min(sum, sum - modulus);
  }
};

// A view of the two arrays, whose numbers are all below the modulus.
//
// Threads: each of Pass and EndRow by several for different parts; the next when all parts are
// done.
template <typename Modulo>
class Table {
 public:
  Table(const GridWords& grid, std::uint64_t* open, std::uint64_t* done, Modulo modulo)
      : grid_(&grid), open_(open), done_(done), modulo_(modulo) {}

  // The edge between a column and the one to its right, and the column's edge to the row below.
  void Pass(int column, const GridWords::Part& part) {
    if (column >= grid_->head()) return PassInRows(column - grid_->head(), part);
    const std::vector<Beginning>& all = grid_->beginnings(column);
    auto beginning = std::upper_bound(
        all.begin(), all.end(), part.begin,
        [](std::uint64_t rank, const Beginning& other) { return rank < other.done; });
    if (beginning != all.begin()) --beginning;
    Runs runs{this, &part};
    for (; beginning != all.end() && beginning->done < part.end; ++beginning) {
      simpath::Pass(grid_->words(), *beginning, runs);
    }
  }

  // The edge of the last column to the row below; a new row of vertices begins.
  void EndRow(const GridWords::Part& part) {
    const std::vector<Beginning>& rows = grid_->beginnings(grid_->head());
    for (std::size_t i = part.first_row; i < part.last_row; ++i) {
      const Beginning& row = rows[i];
      for (const auto [open, done] : grid_->rows().ends(row.state.depth, row.state.source)) {
        Add(open_[row.open + open], done_[row.done + done]);
        done_[row.done + done] = 0;
      }
    }
  }

 private:
  void Add(std::uint64_t& to, std::uint64_t number) const { to = modulo_.Add(to, number); }

  void PassInRows(int column, const GridWords::Part& part) {
    const std::vector<Beginning>& rows = grid_->beginnings(grid_->head());
    for (std::size_t i = part.first_row; i < part.last_row; ++i) {
      const Beginning& row = rows[i];
      const RowMoves& moves = grid_->rows().moves(row.state.depth, row.state.source, column);
      std::uint64_t* const open = open_ + row.open;
      std::uint64_t* const done = done_ + row.done;
      for (const auto& move : moves.moved_ends) {
        const std::uint64_t before = open[move.right];
        open[move.right] = modulo_.Add(modulo_.Add(before, open[move.left]), done[move.done]);
        done[move.done] = before;
      }
      for (const auto& start : moves.started_paths) {
        const std::uint64_t before = open[start.none];
        const std::uint64_t joined = start.joined == start.none ? 0 : open[start.joined];
        Add(open[start.both], before);
        open[start.none] = modulo_.Add(before, done[start.done]);
        done[start.done] = joined;
      }
      for (const auto& join : moves.joins) Add(done[join.done], open[join.open]);
      for (const Variant& variant : row.variants) {
        const auto& joins = variant.source
                                ? moves.variant_joins.back()
                                : moves.variant_joins[static_cast<std::size_t>(variant.depth)];
        const std::uint64_t* const from = open_ + variant.open;
        for (const auto& join : joins) Add(done[join.done], from[join.open]);
      }
    }
  }

  // Runs of the words of a part.
  struct Runs {
    Table* table;
    const GridWords::Part* part;

    template <typename Body>
    void ForEach(std::uint64_t done, std::uint64_t count, Body body) {
      const std::uint64_t first = std::max(done, part->begin);
      const std::uint64_t last = std::min(done + count, part->end);
      for (std::uint64_t i = first; i < last; ++i) body(i - done);
    }
    void MoveEnd(std::uint64_t right, std::uint64_t left, std::uint64_t done, std::uint64_t count) {
      std::uint64_t *const to = table->open_ + right, *const of_done = table->done_ + done;
      const std::uint64_t* const from = table->open_ + left;
      const Modulo modulo = table->modulo_;
      ForEach(done, count, [=](std::uint64_t i) {
        const std::uint64_t before = to[i];
        to[i] = modulo.Add(modulo.Add(before, from[i]), of_done[i]);
        of_done[i] = before;
      });
    }
    void StartPath(std::uint64_t none, std::uint64_t both, std::uint64_t joined, std::uint64_t done,
                   std::uint64_t count) {
      std::uint64_t *const to_none = table->open_ + none, *const to_both = table->open_ + both;
      std::uint64_t* const of_done = table->done_ + done;
      const Modulo modulo = table->modulo_;
      if (joined == kNothing) {
        ForEach(done, count, [=](std::uint64_t i) {
          const std::uint64_t before = to_none[i];
          to_both[i] = modulo.Add(to_both[i], before);
          to_none[i] = modulo.Add(before, of_done[i]);
          of_done[i] = 0;
        });
        return;
      }
      const std::uint64_t* const from = table->open_ + joined;
      ForEach(done, count, [=](std::uint64_t i) {
        const std::uint64_t before = to_none[i];
        to_both[i] = modulo.Add(to_both[i], before);
        to_none[i] = modulo.Add(before, of_done[i]);
        of_done[i] = from[i];
      });
    }
    void Join(int, std::uint64_t open, std::uint64_t done, std::uint64_t count) {
      std::uint64_t* const to = table->done_ + done;
      const std::uint64_t* const from = table->open_ + open;
      const Modulo modulo = table->modulo_;
      ForEach(done, count, [=](std::uint64_t i) { to[i] = modulo.Add(to[i], from[i]); });
    }
    void JoinRight(std::uint64_t from, const WordState& state, std::uint64_t done,
                   const WordState& rest, int within, Symbol symbol) {
      const Words& words = table->grid_->words();
      if (words.Count(state) == 0 || done >= part->end || done + words.Count(rest) <= part->begin) {
        return;
      }
      if (state.left > table->grid_->rows().done_length()) {
        return simpath::JoinRight(words, from, state, done, rest, within, symbol, *this);
      }
      for (const auto [open, of_done] : table->grid_->rows().right_joins(rest, within, symbol)) {
        table->Add(table->done_[done + of_done], table->open_[from + open]);
      }
    }
  };

  const GridWords* grid_;
  std::uint64_t* open_;
  std::uint64_t* done_;
  Modulo modulo_;
};

}  // namespace simpath
