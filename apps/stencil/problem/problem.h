// The problem: a three-dimensional grid, each of whose points becomes at each step the
// weighted mean of its neighbors. Points on the faces of the grid stay as they are.
//
// Pure; any thread may call. Source: [Mid18] section 3.1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace stencil {

// A value.
struct Problem {
  std::uint64_t nz = 256, ny = 256, nx = 256;
  int points = 7;   // of a neighborhood: 7 (faces) or 27 (a cube)
  int steps = 128;  // the paper's
  int block = 16;   // steps between exchanges where time is blocked; the paper's

  std::uint64_t plane() const { return ny * nx; }
  std::uint64_t size() const { return nz * plane(); }
};

// InvalidArgument, with what was expected. A rank has at least a plane, and where slabs meet
// a page must end: `page_bytes` divides a plane's.
absl::Status Check(const Problem& problem, int ranks, std::uint64_t page_bytes);

// Planes first, ..., last - 1; or rows, or columns.
struct Slab {
  std::uint64_t first = 0, last = 0;
  std::uint64_t size() const { return last - first; }
};
// The part of a rank, as dsm::BlockMapping cuts it.
Slab SlabOf(const Problem& problem, int rank, int ranks);
// `slab` with `by` more on both sides, within 0, ..., end - 1.
Slab Widened(Slab slab, std::uint64_t by, std::uint64_t end);
// The intersection, perhaps empty.
Slab Common(Slab a, Slab b);
// The thread's part of it; perhaps empty, with more threads than planes.
Slab PartOf(Slab slab, int thread, int threads);

// The initial value of a point: in [0, 1), without a pattern.
double InitialAt(std::uint64_t index);

}  // namespace stencil
