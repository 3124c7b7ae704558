// Which way the next level is searched. Pure.
//
// Source: Beamer, Asanović and Patterson, Direction-Optimizing Breadth-First Search, SC12;
// [ULIBC14] section 4.1.
#pragma once

#include <cstdint>

#include "apps/bfs/problem/answer.h"

namespace bfs {

// A value. What is known when a level is done.
struct LevelCounts {
  Direction direction = Direction::kTopDown;  // of that level
  std::int64_t frontier = 0;                  // its vertices
  std::int64_t next_frontier = 0;             // those that it found
  std::int64_t next_edges = 0;                // that leave them; of a level that was top-down
  std::int64_t unreached = 0;                 // vertices that are left
  std::int64_t unreached_edges = 0;           // that enter them; as next_edges
};

// A value.
struct DirectionOptions {
  std::int64_t alpha = 15;
  std::int64_t beta = 4;
};

// Bottom-up as soon as a growing frontier has more than 1/alpha of the edges of the vertices that
// are left: then a few of a vertex' neighbors are looked at before one is found in the frontier.
// Top-down again when a shrinking frontier has less than 1/beta as many vertices as are left, which
// a bottom-up level would all look at; when few are left, as after the big levels of a small world,
// it has not, and the last levels stay bottom-up.
constexpr Direction NextDirection(const LevelCounts& counts, const DirectionOptions& options) {
  if (counts.direction == Direction::kTopDown) {
    return counts.next_frontier > counts.frontier &&
                   counts.next_edges > counts.unreached_edges / options.alpha
               ? Direction::kBottomUp
               : Direction::kTopDown;
  }
  return counts.next_frontier < counts.frontier &&
                 counts.next_frontier < counts.unreached / options.beta
             ? Direction::kTopDown
             : Direction::kBottomUp;
}

}  // namespace bfs
