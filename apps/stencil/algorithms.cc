#include "apps/stencil/algorithms.h"

#include <algorithm>
#include <chrono>
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
    const auto most = static_cast<std::uint64_t>(std::min(problem_.block, problem_.steps));
    const Slab wide = Widened(problem_, slab_, most);
    std::vector<double> memory[2];
    Planes local[2];
    for (int i = 0; i < 2; ++i) {
      memory[i].resize(wide.planes() * problem_.plane());
      local[i].origin = memory[i].data() - wide.first * problem_.plane();
    }
    for (int done = 0; done < problem_.steps;) {
      const int steps = std::min(problem_.block, problem_.steps - done);
      const auto depth = static_cast<std::uint64_t>(steps);
      if (absl::Status status = PreloadAround(grids[0], depth); !status.ok()) return status;
      {
        const Clocked compute(measured_.compute_seconds);
        Copy(problem_, grids[0], local[0], Widened(problem_, slab_, depth));
        SweepSkewed(local, steps);
        Copy(problem_, local[steps % 2], grids[1], slab_);
      }
      if (absl::Status status = Meet(); !status.ok()) return status;
      std::swap(grids[0], grids[1]);
      done += steps;
    }
    return absl::OkStatus();
  }

  // All steps on a few planes while these are in the cache: step s is s planes behind the
  // first. The two grids hold the odd and the even steps; a plane is written again when
  // the last step that reads it has gone by.
  void SweepSkewed(const Planes (&local)[2], int steps) {
    const Slab wide = Widened(problem_, slab_, static_cast<std::uint64_t>(steps));
    const std::uint64_t fronts = wide.last + static_cast<std::uint64_t>(steps);
#pragma omp parallel
    for (std::uint64_t front = wide.first + 1; front <= fronts; ++front) {
      for (int step = 1; step <= steps; ++step) {
        const auto behind = static_cast<std::uint64_t>(step);
        const Slab valid = Widened(problem_, slab_, static_cast<std::uint64_t>(steps - step));
        if (front < behind || front - behind < valid.first || front - behind >= valid.last) {
          continue;  // The same for all threads.
        }
        const Planes in = local[(step - 1) % 2], out = local[step % 2];
#pragma omp for schedule(static)
        for (std::uint64_t y = 0; y < problem_.ny; ++y) {
          SweepRows(problem_, in, out, front - behind, y, y + 1);
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
