#include "apps/stencil/kernel.h"

#include <cstring>
#include <utility>
#include <vector>

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

// The points between the first and the last of a row, from the rows around it.
STENCIL_FOR_EACH_PROCESSOR
void Row7(const double* below, const double* front, const double* here, const double* back,
          const double* above, double* out, std::uint64_t nx) {
  for (std::uint64_t x = 1; x + 1 < nx; ++x) {
    out[x] = kCenter * here[x] +
             kFace * (here[x - 1] + here[x + 1] + front[x] + back[x] + below[x] + above[x]);
  }
}

// rows[dz][dy]: the nine rows around, and itself in the middle.
STENCIL_FOR_EACH_PROCESSOR
void Row27(const double* const rows[3][3], double* out, std::uint64_t nx) {
  const double *a = rows[0][0], *b = rows[0][1], *c = rows[0][2];
  const double *d = rows[1][0], *e = rows[1][1], *f = rows[1][2];
  const double *g = rows[2][0], *h = rows[2][1], *i = rows[2][2];
  for (std::uint64_t x = 1; x + 1 < nx; ++x) {
    const double left = a[x - 1] + b[x - 1] + c[x - 1] + d[x - 1] + e[x - 1] + f[x - 1] + g[x - 1] +
                        h[x - 1] + i[x - 1];
    const double middle = a[x] + b[x] + c[x] + d[x] + e[x] + f[x] + g[x] + h[x] + i[x];
    const double right = a[x + 1] + b[x + 1] + c[x + 1] + d[x + 1] + e[x + 1] + f[x + 1] +
                         g[x + 1] + h[x + 1] + i[x + 1];
    out[x] = kCube * (left + middle + right);
  }
}

}  // namespace

void SweepRows(const Problem& problem, Planes in, Planes out, std::uint64_t z, std::uint64_t first,
               std::uint64_t last) {
  const std::uint64_t nx = problem.nx;
  const double* const here = in.plane(problem, z);
  double* const there = out.plane(problem, z);
  const bool is_face = z == 0 || z + 1 == problem.nz;
  for (std::uint64_t y = first; y < last; ++y) {
    const double* const row = here + y * nx;
    double* const result = there + y * nx;
    if (is_face || y == 0 || y + 1 == problem.ny) {
      std::memcpy(result, row, nx * sizeof(double));
      continue;
    }
    const double* const below = row - problem.plane();
    const double* const above = row + problem.plane();
    result[0] = row[0];
    result[nx - 1] = row[nx - 1];
    if (problem.points == 7) {
      Row7(below, row - nx, row, row + nx, above, result, nx);
    } else {
      const double* const rows[3][3] = {{below - nx, below, below + nx},
                                        {row - nx, row, row + nx},
                                        {above - nx, above, above + nx}};
      Row27(rows, result, nx);
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

void ComputeAlone(const Problem& problem, Slab slab, double* result) {
  const Slab all = Widened(problem, slab, static_cast<std::uint64_t>(problem.steps));
  std::vector<double> memory[2];
  Planes grids[2];
  for (int i = 0; i < 2; ++i) {
    memory[i].resize(all.planes() * problem.plane());
    grids[i].origin = memory[i].data() - all.first * problem.plane();
  }
  Fill(problem, grids[0], all);
  for (int step = 0; step < problem.steps; ++step) {
    // Each step reaches one plane less, but for the faces of the grid.
    const auto left = static_cast<std::uint64_t>(problem.steps - step - 1);
    Sweep(problem, grids[0], grids[1], Widened(problem, slab, left));
    std::swap(grids[0], grids[1]);
  }
  std::memcpy(result, grids[0].plane(problem, slab.first),
              slab.planes() * problem.plane() * sizeof(double));
}

}  // namespace stencil
