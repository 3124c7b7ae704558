#include "apps/sdpa/sparse/front.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "apps/sdpa/linear/lapack.h"
#include "apps/sdpa/sparse/elimination_tree.h"
#include "lwt/parallel.h"

namespace sdpa {
namespace {

// Columns and rows that are computed by one call.
constexpr int kTile = 128;
// Fronts of fewer rows take less time than calls of the BLAS.
constexpr int kFewRows = 24;
// Flops for which another thread is worth its waking.
constexpr double kLeastWork = 2e6;

bool IsPivot(double value) { return value > 0 && std::isfinite(value); }

// As lwt::ParallelFor. A piece is at least some ten microseconds of work, so that clocks take
// nothing; where there is but one, the caller's goes on.
template <typename Body>
void ForPieces(std::int64_t count, std::int64_t grain, BusyTime& busy, const Body& body) {
  if (count <= grain) {
    if (count > 0) body(0, count);
    return;
  }
  busy.Without([&] {
    lwt::ParallelFor(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
      const BusyTime of_piece(busy.sum_ns());
      body(begin, end);
    });
  });
}

// body(begin, end) for each tile of a range, in parallel where there is much to do.
template <typename Body>
void ForTiles(int begin, int end, double flops, BusyTime& busy, const Body& body) {
  const std::int64_t tiles = (end - begin + kTile - 1) / kTile;
  const std::int64_t grain = flops < kLeastWork ? std::max<std::int64_t>(tiles, 1) : 1;
  ForPieces(tiles, grain, busy, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile) {
      const int from = begin + static_cast<int>(tile) * kTile;
      body(from, std::min(from + kTile, end));
    }
  });
}

// body(begin, end) for the columns, in parallel where there are many elements to go through, which
// are brought from memory.
template <typename Body>
void ForColumns(std::int64_t columns, double elements, BusyTime& busy, const Body& body) {
  constexpr double kLeastElements = 1e5;
  const double pieces = std::max(1.0, elements / kLeastElements);
  const auto grain = static_cast<std::int64_t>(static_cast<double>(columns) / pieces);
  ForPieces(columns, std::max<std::int64_t>(grain, 1), busy, body);
}

int EliminateSmall(const Front& front) {
  for (int j = 0; j < front.columns; ++j) {
    double* const pivot = front.column(j);
    if (!IsPivot(pivot[j])) return j;
    const double root = std::sqrt(pivot[j]);
    pivot[j] = root;
    for (int i = j + 1; i < front.rows; ++i) pivot[i] /= root;
    for (int k = j + 1; k < front.rows; ++k) {
      double* const column = front.column(k);
      const double factor = pivot[k];
      for (int i = k; i < front.rows; ++i) column[i] -= factor * pivot[i];
    }
  }
  return kNone;
}

// `count` columns from `begin` on, in rows of their own, which are L L' from here on.
int EliminateDiagonal(double* diagonal, int count, int stride) {
  int info = 0;
  dpotrf_("L", &count, diagonal, &stride, &info);
  // LAPACK's failure is the first pivot that is not positive; it may miss one that is no number.
  const int computed = info == 0 ? count : info - 1;
  for (int j = 0; j < computed; ++j) {
    if (!IsPivot(diagonal[static_cast<std::ptrdiff_t>(j) * (stride + 1)])) return j;
  }
  return info == 0 ? kNone : computed;
}

// rows = rows L^-T. By halves: OpenBLAS's products are faster than its solver.
void SolveRows(const double* l, int columns, double* rows, int count, int stride) {
  constexpr int kFewColumns = 32;
  if (columns <= kFewColumns) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, count, columns, 1,
                l, stride, rows, stride);
    return;
  }
  const int left = columns / 2, right = columns - left;
  const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(left) * stride;
  SolveRows(l, left, rows, count, stride);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, count, right, left, -1, rows, stride,
              l + left, stride, 1, rows + offset, stride);
  SolveRows(l + offset + left, right, rows + offset, count, stride);
}

}  // namespace

void Clear(const Front& front, BusyTime& busy) {
  const double rows = front.rows;
  ForColumns(front.rows, rows * rows / 2, busy, [&](std::int64_t begin, std::int64_t end) {
    for (int j = static_cast<int>(begin); j < end; ++j) {
      std::fill(front.column(j) + j, front.column(j) + front.rows, 0.0);
    }
  });
}

void AddUpdate(const double* update, std::span<const int> places, const Front& front,
               BusyTime& busy) {
  const std::size_t rows = places.size();
  const double elements = static_cast<double>(rows) * static_cast<double>(rows) / 2;
  ForColumns(
      static_cast<std::int64_t>(rows), elements, busy, [&](std::int64_t begin, std::int64_t end) {
        for (auto j = static_cast<std::size_t>(begin); j < static_cast<std::size_t>(end); ++j) {
          double* const column = front.column(places[j]);
          const double* const from = update + j * rows;
          for (std::size_t i = j; i < rows; ++i) column[places[i]] += from[i];
        }
      });
}

int Eliminate(const Front& front, BusyTime& busy) {
  if (front.rows <= kFewRows) return EliminateSmall(front);
  const int stride = front.rows, below = front.rows_below();
  for (int begin = 0; begin < front.columns; begin += kTile) {
    const int end = std::min(begin + kTile, front.columns), count = end - begin;
    double* const block = front.column(begin);
    if (begin > 0) {
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, count, begin, -1, front.panel + begin,
                  stride, 1, block + begin, stride);
    }
    const int failed = EliminateDiagonal(block + begin, count, stride);
    if (failed != kNone) return begin + failed;
    const double flops = (2.0 * begin + count) * count * (front.rows - end);
    ForTiles(end, front.rows, flops, busy, [&](int first, int last) {
      if (begin > 0) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, last - first, count, begin, -1,
                    front.panel + first, stride, front.panel + begin, stride, 1, block + first,
                    stride);
      }
      SolveRows(block + begin, count, block + first, last - first, stride);
    });
  }
  const double flops = static_cast<double>(front.columns) * below * below;
  ForTiles(0, below, flops, busy, [&](int first, int last) {
    const double* const left = front.panel + front.columns;
    double* const block = front.update + static_cast<std::ptrdiff_t>(first) * below;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, last - first, front.columns, -1,
                left + first, stride, 1, block + first, below);
    if (last == below) return;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, below - last, last - first, front.columns,
                -1, left + last, stride, left + first, stride, 1, block + last, below);
  });
  return kNone;
}

}  // namespace sdpa
