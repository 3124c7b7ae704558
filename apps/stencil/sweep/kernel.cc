#include "apps/stencil/sweep/kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace stencil {
namespace {

constexpr double kCenter = 0.4, kFace = 0.1;  // of 7 points
constexpr double kCube = 1.0 / 27;            // of 27

// For the processor that it runs on; the bits are the same, as nothing is contracted.
// Sanitizers do not stand what chooses a function while the program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STENCIL_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STENCIL_FOR_EACH_PROCESSOR
#endif

// As many points as fit in a register of the largest kind; wherever they are.
using Register = double __attribute__((vector_size(64)));
struct __attribute__((packed, may_alias)) Points {
  Register all;
};
constexpr std::uint64_t kPoints = sizeof(Points) / sizeof(double);

inline const Points& At(const double* row) { return *reinterpret_cast<const Points*>(row); }

// The first x above 0 where `out + x` is where a register is stored whole.
inline std::uint64_t FirstAligned(const double* out) {
  const std::uint64_t beyond = reinterpret_cast<std::uintptr_t>(out) / sizeof(double) % kPoints;
  return kPoints - beyond;
}

// The points between the first and the last of a row, from the rows around it. Some points at
// the ends are computed twice, so that what is between them is stored where registers are.
STENCIL_FOR_EACH_PROCESSOR
void Row7(const double* below, const double* front, const double* here, const double* back,
          const double* above, double* out, std::uint64_t nx) {
  if (nx < kPoints + 2) {
    for (std::uint64_t x = 1; x + 1 < nx; ++x) {
      out[x] = kCenter * here[x] +
               kFace * (here[x - 1] + here[x + 1] + front[x] + back[x] + below[x] + above[x]);
    }
    return;
  }
  const std::uint64_t last = nx - 1 - kPoints;
  for (std::uint64_t x = 1, next = FirstAligned(out);; x = std::min(next, last), next += kPoints) {
    reinterpret_cast<Points*>(out + x)->all =
        kCenter * At(here + x).all +
        kFace * (At(here + x - 1).all + At(here + x + 1).all + At(front + x).all +
                 At(back + x).all + At(below + x).all + At(above + x).all);
    if (x == last) break;
  }
}

// rows[dz][dy]: the nine rows around, and itself in the middle. Each column of nine is summed
// once, for the three points that it is near.
STENCIL_FOR_EACH_PROCESSOR
void Row27(const double* const rows[3][3], double* out, std::uint64_t nx) {
  const double *a = rows[0][0], *b = rows[0][1], *c = rows[0][2];
  const double *d = rows[1][0], *e = rows[1][1], *f = rows[1][2];
  const double *g = rows[2][0], *h = rows[2][1], *i = rows[2][2];
  constexpr std::uint64_t kAtOnce = 256;
  alignas(Register) double columns[kAtOnce + 2];
  for (std::uint64_t start = 0; start + 2 < nx; start += kAtOnce) {
    const std::uint64_t count = std::min(kAtOnce + 2, nx - start);
    for (std::uint64_t x = 0; x < count; ++x) {
      const std::uint64_t at = start + x;
      columns[x] = a[at] + b[at] + c[at] + d[at] + e[at] + f[at] + g[at] + h[at] + i[at];
    }
    for (std::uint64_t x = 1; x + 1 < count; ++x) {
      out[start + x] = kCube * (columns[x - 1] + columns[x] + columns[x + 1]);
    }
  }
}

}  // namespace

void SweepRows(const Problem& problem, Planes in, Planes out, std::uint64_t z, Slab rows,
               Slab columns) {
  const std::uint64_t nx = problem.nx;
  const double* const here = in.plane(problem, z);
  double* const there = out.plane(problem, z);
  const bool is_face = z == 0 || z + 1 == problem.nz;
  // Those that are computed: the kernels take a point more on both sides.
  const Slab inner = Common(columns, {1, nx - 1});
  for (std::uint64_t y = rows.first; y < rows.last; ++y) {
    const double* const row = here + y * nx;
    double* const result = there + y * nx;
    if (is_face || y == 0 || y + 1 == problem.ny) {
      std::memcpy(result + columns.first, row + columns.first, columns.size() * sizeof(double));
      continue;
    }
    if (columns.first == 0) result[0] = row[0];
    if (columns.last == nx) result[nx - 1] = row[nx - 1];
    if (inner.size() == 0) continue;
    const std::uint64_t start = inner.first - 1, count = inner.size() + 2;
    const double* const middle = row + start;
    const double* const below = middle - problem.plane();
    const double* const above = middle + problem.plane();
    if (problem.points == 7) {
      Row7(below, middle - nx, middle, middle + nx, above, result + start, count);
    } else {
      const double* const around[3][3] = {{below - nx, below, below + nx},
                                          {middle - nx, middle, middle + nx},
                                          {above - nx, above, above + nx}};
      Row27(around, result + start, count);
    }
  }
}

void Sweep(const Problem& problem, Planes in, Planes out, Slab slab) {
#pragma omp parallel for schedule(static)
  for (std::uint64_t z = slab.first; z < slab.last; ++z) {
    SweepRows(problem, in, out, z, 0, problem.ny);
  }
}

void Fill(const Problem& problem, Planes grid, Slab slab) {
#pragma omp parallel for schedule(static)
  for (std::uint64_t z = slab.first; z < slab.last; ++z) {
    double* const plane = grid.plane(problem, z);
    for (std::uint64_t i = 0; i < problem.plane(); ++i) {
      plane[i] = InitialAt(z * problem.plane() + i);
    }
  }
}

std::vector<double> ComputeAlone(const Problem& problem, Slab slab) {
  const Slab all = Widened(slab, static_cast<std::uint64_t>(problem.steps), problem.nz);
  std::vector<double> memory[2];
  Planes grids[2];
  for (int i = 0; i < 2; ++i) {
    memory[i].resize(all.size() * problem.plane());
    grids[i].origin = memory[i].data() - all.first * problem.plane();
  }
  Fill(problem, grids[0], all);
  for (int step = 0; step < problem.steps; ++step) {
    // Each step reaches one plane less, but for the faces of the grid.
    const auto left = static_cast<std::uint64_t>(problem.steps - step - 1);
    Sweep(problem, grids[0], grids[1], Widened(slab, left, problem.nz));
    std::swap(grids[0], grids[1]);
  }
  const double* const result = grids[0].plane(problem, slab.first);
  return {result, result + slab.size() * problem.plane()};
}

double ErrorOf(std::span<const double> got, std::span<const double> expected) {
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(got[i] - expected[i]);
    error = std::max(error, std::isnan(difference) ? HUGE_VAL : difference);
  }
  return error;
}

}  // namespace stencil
