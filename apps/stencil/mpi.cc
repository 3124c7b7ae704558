// A1 by message passing: the twin that the shared memory is compared with. The same kernel,
// the same slabs; each rank has its planes and a copy of its neighbors' nearest.
// The C interface alone.
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "apps/program/run.h"
#include "apps/stencil/flags.h"
#include "apps/stencil/kernel.h"

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
  // Where there is nobody nothing is written.
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

absl::Status Main(MpiFlags& flags, const std::string& command) {
  using Clock = std::chrono::steady_clock;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const stencil::Problem& problem = flags.problem;
  if (absl::Status good = Check(problem, ranks, 1); !good.ok()) return good;
  stencil::UseThreads(flags, ranks);
  const stencil::Slab slab = SlabOf(problem, rank, ranks), wide = Widened(problem, slab, 1);
  std::vector<double> memory[2];
  stencil::Planes grids[2];
  for (int i = 0; i < 2; ++i) {
    memory[i].resize(wide.planes() * problem.plane());
    grids[i].origin = memory[i].data() - wide.first * problem.plane();
    Fill(problem, grids[i], slab);
  }
  stencil::Row row = {.algorithm = "A1-mpi-" + flags.form, .ranks = ranks};
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = Clock::now();
  const auto since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  for (int step = 0; step < problem.steps; ++step) {
    const auto begun = Clock::now();
    Exchange(problem, slab, grids[0], rank, ranks, flags.form == "synchronous");
    row.preload_seconds += since(begun);
    const auto computes = Clock::now();
    Sweep(problem, grids[0], grids[1], slab);
    row.compute_seconds += since(computes);
    std::swap(grids[0], grids[1]);
  }
  const auto ended = Clock::now();
  MPI_Barrier(MPI_COMM_WORLD);
  row.barrier_seconds = since(ended);
  row.seconds = since(start);
  row.exchanges = static_cast<std::uint64_t>(problem.steps);
  std::vector<double> expected(slab.planes() * problem.plane());
  stencil::ComputeAlone(problem, slab, expected.data());
  double error = 0;
  const double* const got = grids[0].plane(problem, slab.first);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i] != expected[i]) error = std::max(error, std::abs(got[i] - expected[i]));
  }
  MPI_Allreduce(&error, &row.max_abs_error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return rank == 0 ? Report(flags, row, command) : absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A1 by message passing, to compare with.", "stencil_mpi");
  MpiFlags flags;
  AddFlags(app, flags);
  app.add_option("--form", flags.form, "synchronous or asynchronous (default synchronous)")
      ->check(CLI::IsMember({"synchronous", "asynchronous"}));
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int code = program::Run(app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/stencil:stencil_mpi", argc, argv));
  });
  // Who has failed takes the others along.
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
