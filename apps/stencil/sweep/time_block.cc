#include "apps/stencil/sweep/time_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace stencil {
namespace {

// A thread's part of the last cache. In the one before it fewer rows would have room, and what
// is read again where two tiles meet costs more than that gains.
constexpr std::uint64_t kCacheBytes = 3 << 20;

// In several steps, a row of more would leave room for few rows, each of which is read twice where
// tiles meet. One step takes whole rows: parts of them were slower by a quarter, where rows have
// 4096 points.
constexpr std::uint64_t kMostColumns = 512;

std::uint64_t Before(std::uint64_t at, std::uint64_t by) { return at - std::min(at, by); }

// In huge pages, where the system has some: rows of many planes are used in turn. Not touched,
// so that it lies near the thread that writes it first.
double* NewMemory(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, whole, MADV_HUGEPAGE);
  return static_cast<double*>(memory);
}

}  // namespace

Tile TileOf(const Problem& problem, int steps) {
  Tile tile = {1, steps == 1 ? problem.nx : std::min(problem.nx, kMostColumns)};
  tile.rows = std::max<std::uint64_t>(4, kCacheBytes / tile.Bytes(steps));
  return tile;
}

void Advance(const Problem& problem, const TimeBlock& block, std::span<const Box> boxes) {
  // Step s is s planes, s rows and s columns behind what it would be before the first: so all
  // points around one have gone through the step before, and none has been written over.
  std::uint64_t first_plane = problem.nz, last_plane = 0, first_row = problem.ny, last_row = 0;
  for (std::uint64_t step = 1; step <= boxes.size(); ++step) {
    const Box& box = boxes[step - 1];
    first_plane = std::min(first_plane, box.planes.first + step);
    last_plane = std::max(last_plane, box.planes.last + step);
    first_row = std::min(first_row, box.rows.first + step);
    last_row = std::max(last_row, box.rows.last + step);
  }
  Tile tile = TileOf(problem, block.steps);
  // A tile of whole rows does not move along them.
  const std::uint64_t last_column = problem.nx + boxes.size();
  if (tile.columns == problem.nx) tile.columns = last_column;
  for (std::uint64_t row = first_row; row < last_row; row += tile.rows) {
    for (std::uint64_t column = 0; column < last_column; column += tile.columns) {
      for (std::uint64_t front = first_plane; front < last_plane; ++front) {
        for (std::uint64_t step = 1; step <= boxes.size(); ++step) {
          const Box& box = boxes[step - 1];
          if (front < box.planes.first + step || front >= box.planes.last + step) continue;
          const Slab rows = Common(box.rows, {Before(row, step), Before(row + tile.rows, step)});
          const Slab columns =
              Common({0, problem.nx}, {Before(column, step), Before(column + tile.columns, step)});
          if (rows.size() == 0 || columns.size() == 0) continue;
          const int now = static_cast<int>(step);
          SweepRows(problem, block.After(now - 1), block.After(now), front - step, rows, columns);
        }
      }
    }
  }
}

void TakePlanes(const Problem& problem, Slab planes, Planes (&between)[2]) {
  struct Kept {
    std::unique_ptr<double, decltype(&std::free)> memory = {nullptr, std::free};
    std::size_t bytes = 0;
  };
  thread_local Kept kept[2];
  const std::size_t bytes = planes.size() * problem.plane() * sizeof(double);
  for (int i = 0; i < 2; ++i) {
    if (kept[i].bytes < bytes) kept[i] = {{NewMemory(bytes), std::free}, bytes};
    between[i].origin = kept[i].memory.get() - planes.first * problem.plane();
  }
}

}  // namespace stencil
