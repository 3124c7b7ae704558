// Some steps at once, on a part of the grid that becomes smaller or larger from step to step:
// a few rows go through all steps while they are in the cache.
#pragma once

#include <cstdint>
#include <span>

#include "apps/stencil/problem/problem.h"
#include "apps/stencil/sweep/kernel.h"

namespace stencil {

// A value. The points of a step: some rows of some planes.
struct Box {
  Slab planes, rows;
};

// A value. Where the points are after each of the steps. Points that are read and that no step
// computes are there before; each step overwrites the step before the last.
struct TimeBlock {
  int steps = 0;
  Planes from;        // before the first step
  Planes between[2];  // after even steps and after odd ones
  Planes to;          // after the last

  Planes After(int step) const { return step == 0 ? from : step == steps ? to : between[step % 2]; }
};

// A value. What goes through all steps together: so many rows of as many columns, of all planes.
// With each step it moves by a row and a column.
struct Tile {
  std::uint64_t rows = 0, columns = 0;
  // Of each step, two planes are in use.
  std::uint64_t Bytes(int steps) const {
    return 2 * static_cast<std::uint64_t>(steps + 2) * rows * columns * sizeof(double);
  }
};
Tile TileOf(const Problem& problem, int steps);

// All steps of `block`, by this thread, tile by tile. `boxes`: one a step, whose sides move by at
// most one from step to step; a step reads the points around its box.
void Advance(const Problem& problem, const TimeBlock& block, std::span<const Box> boxes);

// Gives this thread planes of its own, for as long as it lives: a later call takes the planes
// of an earlier one back.
void TakePlanes(const Problem& problem, Slab planes, Planes (&between)[2]);

}  // namespace stencil
