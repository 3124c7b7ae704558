// Stencils on distributed shared memory, started by llclrun, mpiexec, mpirun or srun.
//
// Source: [Mid18] section 3.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "apps/program/run.h"
#include "apps/stencil/algorithms.h"
#include "apps/stencil/flags.h"

namespace {

struct DsmFlags : stencil::Flags {
  std::string algorithm = "A1p";
  std::string engine = "automatic";
  std::uint64_t page_bytes = 4096;
};

// How far the slab is from what one rank alone computes.
double ErrorOf(const stencil::Problem& problem, stencil::Slab slab, stencil::Planes result) {
  std::vector<double> expected(slab.planes() * problem.plane());
  stencil::ComputeAlone(problem, slab, expected.data());
  const double* const got = result.plane(problem, slab.first);
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // A value that is none differs from everything.
    const double difference = std::abs(got[i] - expected[i]);
    error = difference <= error ? error : difference;
  }
  return std::isnan(error) ? HUGE_VAL : error;
}

absl::StatusOr<stencil::Planes> NewGrid(dsm::Space& space, const stencil::Problem& problem) {
  const auto memory = space.Allocate(
      {{problem.nz, problem.ny, problem.nx}, sizeof(double)},
      dsm::BlockMapping{.divisions = {static_cast<std::uint64_t>(space.ranks()), 1, 1},
                        .first = 0,
                        .count = space.ranks()});
  if (!memory.ok()) return memory.status();
  return stencil::Planes{reinterpret_cast<double*>(memory->data())};
}

// What each rank measured, in the space.
struct OfRank {
  stencil::Measured measured;
  double error = 0;
};

absl::Status Main(DsmFlags& flags, const std::string& command) {
  const auto algorithm = stencil::AlgorithmNamed(flags.algorithm);
  if (!algorithm.ok()) return algorithm.status();
  dsm::SpaceOptions options;
  options.page_bytes = flags.page_bytes;
  for (const auto kind : {dsm::EngineKind::kUserfaultfd, dsm::EngineKind::kSegv}) {
    if (flags.engine == NameOf(kind)) options.engine = kind;
  }
  const auto joined = dsm::Space::Join(options);
  if (!joined.ok()) return joined.status();
  dsm::Space& space = **joined;
  const stencil::Problem& problem = flags.problem;
  if (absl::Status good = Check(problem, space.ranks(), flags.page_bytes); !good.ok()) return good;
  stencil::UseThreads(flags, space.ranks());

  stencil::Planes grids[2], result;
  for (stencil::Planes& grid : grids) {
    const auto made = NewGrid(space, problem);
    if (!made.ok()) return made.status();
    grid = *made;
  }
  const auto board =
      space.Allocate({{static_cast<std::uint64_t>(space.ranks()) * flags.page_bytes}, 1},
                     dsm::Cyclic{.pages = 1, .count = space.ranks()});
  if (!board.ok()) return board.status();
  const stencil::Slab slab = SlabOf(problem, space.rank(), space.ranks());
  Fill(problem, grids[0], slab);
  Fill(problem, grids[1], slab);  // Touched by the threads that will write it.
  if (absl::Status met = space.Barrier(dsm::Consistency::kFlush); !met.ok()) return met;

  const auto measured = Run(space, problem, *algorithm, grids, result);
  if (!measured.ok()) return measured.status();
  const auto of = [&](int rank) {
    return reinterpret_cast<OfRank*>(board->data() +
                                     static_cast<std::size_t>(rank) * flags.page_bytes);
  };
  *of(space.rank()) = {*measured, ErrorOf(problem, slab, result)};
  if (absl::Status met = space.Barrier(dsm::Consistency::kFlush); !met.ok()) return met;

  stencil::Row row = {.algorithm = flags.algorithm, .ranks = space.ranks()};
  for (int rank = 0; rank < space.ranks(); ++rank) {
    const stencil::Measured& one = of(rank)->measured;
    if (one.seconds > row.seconds) {
      row.seconds = one.seconds;
      row.compute_seconds = one.compute_seconds;
      row.preload_seconds = one.preload_seconds;
      row.barrier_seconds = one.barrier_seconds;
    }
    row.exchanges = one.exchanges;
    row.faults += one.faults;
    row.pages_fetched += one.pages_fetched;
    row.max_abs_error = std::max(row.max_abs_error, of(rank)->error);
  }
  // All ranks end as the first does.
  if (space.rank() == 0) return Report(flags, row, command);
  if (row.max_abs_error != 0) return absl::InternalError("the answer is wrong");
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Three-dimensional stencils on distributed shared memory.", "stencil");
  DsmFlags flags;
  AddFlags(app, flags);
  app.add_option("--algorithm", flags.algorithm,
                 "A1 (a step at a time), A2 (blocked in time); with p, by preload (default A1p)")
      ->check(CLI::IsMember({"A1", "A1p", "A2", "A2p"}));
  app.add_option("--block", flags.problem.block, "steps at once of A2 (default 16, the paper's)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--page-bytes", flags.page_bytes, "a page of the space (default 4096)");
  app.add_option("--engine", flags.engine, "how pages come: userfaultfd or segv")
      ->check(CLI::IsMember({"automatic", "userfaultfd", "segv"}));
  return program::Run(app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/stencil", argc, argv));
  });
}
