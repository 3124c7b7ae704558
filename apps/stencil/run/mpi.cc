// A1 by message passing: the twin that the shared memory is compared with. The same kernel,
// the same slabs; each rank has its planes and a copy of its neighbors' nearest.
// The C interface alone.
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/program/commit.h"
#include "apps/program/run.h"
#include "apps/stencil/ranks/clocked.h"
#include "apps/stencil/run/flags.h"
#include "apps/stencil/run/results.h"
#include "apps/stencil/sweep/kernel.h"

namespace {

struct MpiFlags : stencil::Flags {
  std::string form = "synchronous";
};

// The neighbors' nearest planes, into ours beside the slab.
void Exchange(const stencil::Problem& problem, stencil::Slab slab, stencil::Planes grid, int rank,
              int ranks, bool is_synchronous) {
  const bool has_below = rank > 0, has_above = rank + 1 < ranks;
  const int below = has_below ? rank - 1 : MPI_PROC_NULL;
  const int above = has_above ? rank + 1 : MPI_PROC_NULL;
  const int count = static_cast<int>(problem.plane());
  double* const first = grid.plane(problem, slab.first);
  double* const last = grid.plane(problem, slab.last - 1);
  // Without a neighbor nothing is written.
  double* const under = has_below ? first - count : first;
  double* const over = has_above ? last + count : last;
  if (is_synchronous) {
    MPI_Sendrecv(last, count, MPI_DOUBLE, above, 0, under, count, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(first, count, MPI_DOUBLE, below, 1, over, count, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request requests[4];
  MPI_Irecv(under, count, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(over, count, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(last, count, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(first, count, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// All ranks call it, and have the same row then, but for the parts of the time.
stencil::Row Measure(const stencil::Problem& problem, bool is_synchronous, int rank, int ranks,
                     std::span<const double> expected) {
  const stencil::Slab slab = SlabOf(problem, rank, ranks), wide = Widened(slab, 1, problem.nz);
  std::vector<double> memory[2];
  stencil::Planes grids[2];
  for (int i = 0; i < 2; ++i) {
    memory[i].resize(wide.size() * problem.plane());
    grids[i].origin = memory[i].data() - wide.first * problem.plane();
    Fill(problem, grids[i], slab);
  }
  stencil::Row row = {.algorithm = is_synchronous ? "A1-mpi-synchronous" : "A1-mpi-asynchronous",
                      .points = problem.points,
                      .ranks = ranks,
                      .threads = omp_get_max_threads(),
                      .updates = static_cast<double>(problem.size()) * problem.steps,
                      .exchanges = static_cast<std::uint64_t>(problem.steps)};
  MPI_Barrier(MPI_COMM_WORLD);
  {
    const stencil::Clocked all(row.seconds);
    for (int step = 0; step < problem.steps; ++step) {
      {
        const stencil::Clocked preload(row.preload_seconds);
        Exchange(problem, slab, grids[0], rank, ranks, is_synchronous);
      }
      const stencil::Clocked compute(row.compute_seconds);
      Sweep(problem, grids[0], grids[1], slab);
      std::swap(grids[0], grids[1]);
    }
    const stencil::Clocked barrier(row.barrier_seconds);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double error =
      stencil::ErrorOf({grids[0].plane(problem, slab.first), expected.size()}, expected);
  MPI_Allreduce(&error, &row.max_abs_error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return row;
}

absl::Status Main(const MpiFlags& flags, int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const stencil::Problem& problem = flags.problem;
  if (absl::Status good = Check(problem, ranks, 1); !good.ok()) return good;
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const auto threads = ThreadCounts(flags, *topology, ranks);
  if (!threads.ok()) return threads.status();
  std::optional<program::Outputs> outputs;
  if (rank == 0) {
    auto opened = stencil::OpenOutputs(flags);
    if (!opened.ok()) return opened.status();
    outputs.emplace(*std::move(opened));
  }
  const std::vector<double> expected = ComputeAlone(problem, SlabOf(problem, rank, ranks));
  std::vector<stencil::Row> rows;
  for (const int count : *threads) {
    omp_set_num_threads(count);
    std::vector<std::vector<stencil::Row>> repetitions;
    for (int i = 0; i < flags.repetitions; ++i) {
      repetitions.push_back({Measure(problem, flags.form == "synchronous", rank, ranks, expected)});
      if (absl::Status right = CheckAnswer(repetitions.back().front()); !right.ok()) return right;
    }
    rows.push_back(stencil::MiddleRows(repetitions).front());
  }
  if (!outputs) return absl::OkStatus();
  const std::string target =
      absl::StrCat("--run_under='mpiexec.hydra -n ", ranks, "' //apps/stencil:stencil_mpi");
  return Commit(OutcomeOf(rows, flags, program::CommandOf(target, argc, argv)), *topology,
                *outputs);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A1 by message passing, to compare with.", "stencil_mpi");
  program::AddVersion(app, program::Commit());
  MpiFlags flags;
  AddFlags(app, flags);
  app.add_option("--form", flags.form, "synchronous or asynchronous (default synchronous)")
      ->check(CLI::IsMember({"synchronous", "asynchronous"}));
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int code = program::Run(app, argc, argv, [&] { return Main(flags, argc, argv); });
  // A rank that has failed ends the others.
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
