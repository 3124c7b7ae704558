#include "apps/stencil/algorithms.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace stencil {
namespace {

// Adds the time of its life.
class Clocked {
 public:
  explicit Clocked(double& seconds) : seconds_(seconds) {}
  ~Clocked() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

 private:
  double& seconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Runner {
 public:
  Runner(dsm::Space& space, const Problem& problem, const Algorithm& algorithm)
      : space_(space),
        problem_(problem),
        algorithm_(algorithm),
        slab_(SlabOf(problem, space.rank(), space.ranks())) {}

  absl::StatusOr<Measured> Run(Planes (&grids)[2], Planes& result) {
    const dsm::CopyCounts before = space_.counts().copies;
    absl::Status status;
    {
      const Clocked all(measured_.seconds);
      status = algorithm_.blocking == Blocking::kNone ? RunSimple(grids) : RunRedundant(grids);
    }
    if (!status.ok()) return status;
    const dsm::CopyCounts after = space_.counts().copies;
    measured_.faults = after.faults - before.faults;
    measured_.pages_fetched = after.pages_fetched - before.pages_fetched;
    result = grids[0];
    return measured_;
  }

 private:
  absl::Status RunSimple(Planes (&grids)[2]) {
    for (int step = 0; step < problem_.steps; ++step) {
      if (absl::Status status = PreloadAround(grids[0], 1); !status.ok()) return status;
      {
        const Clocked compute(measured_.compute_seconds);
        Sweep(problem_, grids[0], grids[1], slab_);
      }
      if (absl::Status status = Meet(); !status.ok()) return status;
      std::swap(grids[0], grids[1]);
    }
    return absl::OkStatus();
  }

  absl::Status RunRedundant(Planes (&grids)[2]) {
    for (int done = 0; done < problem_.steps;) {
      const int steps = std::min(problem_.block, problem_.steps - done);
      if (absl::Status status = PreloadAround(grids[0], static_cast<std::uint64_t>(steps));
          !status.ok()) {
        return status;
      }
      {
        const Clocked compute(measured_.compute_seconds);
        Advance(grids, steps);
      }
      if (absl::Status status = Meet(); !status.ok()) return status;
      std::swap(grids[0], grids[1]);
      done += steps;
    }
    return absl::OkStatus();
  }

  // So many steps of the slab. Each thread does a part of it alone, with as many planes
  // around as it depends on: what ranks do, threads do likewise.
  void Advance(Planes (&grids)[2], int steps) {
#pragma omp parallel
    {
      const auto thread = static_cast<std::uint64_t>(omp_get_thread_num());
      const auto threads = static_cast<std::uint64_t>(omp_get_num_threads());
      const Slab part = {slab_.first + slab_.planes() * thread / threads,
                         slab_.first + slab_.planes() * (thread + 1) / threads};
      if (part.planes() > 0) AdvancePart(grids, part, steps);
    }
  }

  void AdvancePart(Planes (&grids)[2], Slab part, int steps) {
    // Kept for the next time, by the thread that first touched it.
    thread_local std::vector<double> memory[2];
    const Slab wide = Widened(problem_, part, static_cast<std::uint64_t>(steps));
    Planes local[2];
    for (int i = 0; i < 2; ++i) {
      memory[i].resize(std::max(memory[i].size(), wide.planes() * problem_.plane()));
      local[i].origin = memory[i].data() - wide.first * problem_.plane();
    }
    const auto copy = [&](Planes from, Planes to, Slab planes) {
      std::memcpy(to.plane(problem_, planes.first), from.plane(problem_, planes.first),
                  planes.planes() * problem_.plane() * sizeof(double));
    };
    copy(grids[0], local[0], wide);
    SweepSkewed(local, part, steps);
    copy(local[steps % 2], grids[1], part);
  }

  // All steps on a few rows while these are in the cache: step s is s planes and s rows
  // behind the first. The two grids hold the odd and the even steps; a row is written
  // again when the last step that reads it has gone by.
  void SweepSkewed(const Planes (&local)[2], Slab part, int steps) {
    constexpr std::uint64_t kCacheBytes = 512 * 1024;
    const auto depth = static_cast<std::uint64_t>(steps);
    const std::uint64_t row_bytes = 2 * (depth + 2) * problem_.nx * sizeof(double);
    const std::uint64_t rows = std::max<std::uint64_t>(4, kCacheBytes / row_bytes);
    const Slab wide = Widened(problem_, part, depth);
    for (std::uint64_t tile = 0; tile < problem_.ny + depth; tile += rows) {
      for (std::uint64_t front = wide.first + 1; front <= wide.last + depth; ++front) {
        for (std::uint64_t step = 1; step <= depth; ++step) {
          const Slab valid = Widened(problem_, part, depth - step);
          if (front < valid.first + step || front >= valid.last + step) continue;
          const std::uint64_t first = tile < step ? 0 : tile - step;
          const std::uint64_t last =
              tile + rows < step ? 0 : std::min(problem_.ny, tile + rows - step);
          if (first >= last) continue;
          SweepRows(problem_, local[(step - 1) % 2], local[step % 2], front - step, first, last);
        }
      }
    }
  }

  // The planes of others that this rank is about to read.
  absl::Status PreloadAround(Planes grid, std::uint64_t planes) {
    if (!algorithm_.preloads) return absl::OkStatus();
    const Clocked preload(measured_.preload_seconds);
    const Slab wide = Widened(problem_, slab_, planes);
    for (const Slab part : {Slab{wide.first, slab_.first}, Slab{slab_.last, wide.last}}) {
      const absl::Status status = space_.Preload(std::as_bytes(
          std::span(grid.plane(problem_, part.first), part.planes() * problem_.plane())));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // All writes are at home here, so copies are dropped and nothing is sent.
  absl::Status Meet() {
    const Clocked barrier(measured_.barrier_seconds);
    ++measured_.exchanges;
    return space_.Barrier(dsm::Consistency::kDiscard);
  }

  dsm::Space& space_;
  const Problem& problem_;
  const Algorithm algorithm_;
  const Slab slab_;
  Measured measured_;
};

}  // namespace

absl::StatusOr<Algorithm> AlgorithmNamed(const std::string& name) {
  if (name == "A1") return Algorithm{Blocking::kNone, false};
  if (name == "A1p") return Algorithm{Blocking::kNone, true};
  if (name == "A2") return Algorithm{Blocking::kRedundant, false};
  if (name == "A2p") return Algorithm{Blocking::kRedundant, true};
  return absl::InvalidArgumentError("--algorithm is " + name + ", but there are A1, A1p, A2, A2p");
}

absl::StatusOr<Measured> Run(dsm::Space& space, const Problem& problem, const Algorithm& algorithm,
                             Planes (&grids)[2], Planes& result) {
  return Runner(space, problem, algorithm).Run(grids, result);
}

}  // namespace stencil
