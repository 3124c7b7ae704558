// One step of a stencil on some planes. Every contestant uses this code, so that all compute
// the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/stencil/problem/problem.h"

namespace stencil {

// A grid, or some planes of one: the pointer is where plane 0 would be.
struct Planes {
  double* origin = nullptr;
  double* plane(const Problem& problem, std::uint64_t z) const {
    return origin + z * problem.plane();
  }
};

// These rows of plane z of the next step, from planes z - 1, z and z + 1; or of each row these
// columns.
void SweepRows(const Problem& problem, Planes in, Planes out, std::uint64_t z, Slab rows,
               Slab columns);
inline void SweepRows(const Problem& problem, Planes in, Planes out, std::uint64_t z,
                      std::uint64_t first, std::uint64_t last) {
  SweepRows(problem, in, out, z, {first, last}, {0, problem.nx});
}

// All rows of the planes of `slab`, by OpenMP's threads, which share them as first touched.
void Sweep(const Problem& problem, Planes in, Planes out, Slab slab);

// Sets the initial values, by the same threads as Sweep.
void Fill(const Problem& problem, Planes grid, Slab slab);

// `slab` of the grid after all steps, by a plain loop over all points, for comparison;
// computed from as many planes around it as it depends on.
std::vector<double> ComputeAlone(const Problem& problem, Slab slab);

// The largest difference; infinite where a value is NaN. Both are of the same size.
double ErrorOf(std::span<const double> got, std::span<const double> expected);

}  // namespace stencil
