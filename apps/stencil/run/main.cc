// Stencils on distributed shared memory, started by llclrun, mpiexec, mpirun or srun.
//
// Source: [Mid18] section 3.
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/program/commit.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/stencil/ranks/algorithm.h"
#include "apps/stencil/ranks/lightweight.h"
#include "apps/stencil/run/flags.h"
#include "apps/stencil/run/results.h"
#include "apps/stencil/run/simulated_flags.h"
#include "apps/stencil/run/simulated_results.h"
#include "lwt/pool.h"

namespace {

struct DsmFlags : stencil::Flags {
  std::string mode = "real";
  stencil::SimulatedFlags simulated;
  std::string algorithm = "A1p";
  std::string engine = "automatic";
  std::uint64_t page_bytes = 4096;
};

// What each rank measured, in the space.
struct OfRank {
  stencil::Measured measured;
  double error = 0;
};

// All ranks, in the space: a page for each.
OfRank& On(std::span<std::byte> board, const dsm::Space& space, int rank) {
  return *reinterpret_cast<OfRank*>(board.data() +
                                    static_cast<std::size_t>(rank) * space.options().page_bytes);
}

bool HasLightweight(const std::vector<stencil::Algorithm>& algorithms) {
  return std::any_of(algorithms.begin(), algorithms.end(),
                     [](const auto& each) { return each.pages == stencil::Pages::kSwitched; });
}

// All ranks call it, and have the same row then.
absl::StatusOr<stencil::Row> Measure(dsm::Space& space, const stencil::Problem& problem,
                                     const stencil::Algorithm& algorithm, stencil::Shared& shared,
                                     std::span<std::byte> board, std::span<const double> expected) {
  const stencil::Slab slab = SlabOf(problem, space.rank(), space.ranks());
  // Both are first touched by the threads that will write them.
  for (const stencil::Planes grid : shared.grids) Fill(problem, grid, slab);
  if (absl::Status met = space.Barrier(dsm::Consistency::kFlush); !met.ok()) return met;
  const auto measured = Run(space, problem, algorithm, shared);
  if (!measured.ok()) return measured.status();
  const double* const got = shared.grids[0].plane(problem, slab.first);
  On(board, space, space.rank()) = {*measured, stencil::ErrorOf({got, expected.size()}, expected)};
  if (absl::Status met = space.Barrier(dsm::Consistency::kFlush); !met.ok()) return met;

  stencil::Row row = {.algorithm = algorithm.name,
                      .points = problem.points,
                      .ranks = space.ranks(),
                      .threads = omp_get_max_threads(),
                      .page_bytes = space.options().page_bytes,
                      .updates = static_cast<double>(problem.size()) * problem.steps};
  for (int rank = 0; rank < space.ranks(); ++rank) {
    const auto& [one, error] = On(board, space, rank);
    if (one.seconds > row.seconds) {
      row.seconds = one.seconds;
      row.compute_seconds = one.compute_seconds;
      row.preload_seconds = one.preload_seconds;
      row.barrier_seconds = one.barrier_seconds;
    }
    row.exchanges = one.exchanges;
    row.faults += one.faults;
    row.pages_fetched += one.pages_fetched;
    row.switches += one.switches;
    row.max_abs_error = std::max(row.max_abs_error, error);
  }
  return row;
}

absl::Status Main(const DsmFlags& flags, int argc, char** argv) {
  const stencil::Problem& problem = flags.problem;
  if (flags.figure == "time") {
    return absl::InvalidArgumentError("--figure=time is of simulated nodes: --mode=simulated");
  }
  const auto algorithms = stencil::ParseAlgorithms(flags.algorithm);
  if (!algorithms.ok()) return algorithms.status();
  dsm::SpaceOptions options;
  options.page_bytes = flags.page_bytes;
  for (const auto kind : {dsm::EngineKind::kUserfaultfd, dsm::EngineKind::kSegv}) {
    if (flags.engine == NameOf(kind)) options.engine = kind;
  }
  // lwt handles faults from its first pool on: the space's handler, which may switch threads, has
  // to be asked before it.
  std::unique_ptr<lwt::Pool> first_pool;
  if (HasLightweight(*algorithms)) {
    auto pool = lwt::Pool::Create({.workers = 1});
    if (!pool.ok()) return pool.status();
    first_pool = *std::move(pool);
    options.waiter = stencil::RunOthers;
  }
  const auto joined = dsm::Space::Join(options);
  if (!joined.ok()) return joined.status();
  dsm::Space& space = **joined;
  if (absl::Status good = Check(problem, space.ranks(), flags.page_bytes); !good.ok()) return good;
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const auto threads = ThreadCounts(flags, *topology, space.ranks());
  if (!threads.ok()) return threads.status();
  std::optional<program::Outputs> outputs;
  if (space.rank() == 0) {
    auto opened = stencil::OpenOutputs(flags);
    if (!opened.ok()) return opened.status();
    outputs.emplace(*std::move(opened));
  }

  omp_set_num_threads(threads->back());
  auto shared = stencil::Allocate(space, problem, *algorithms);
  if (!shared.ok()) return shared.status();
  const auto board =
      space.Allocate({{static_cast<std::uint64_t>(space.ranks()) * flags.page_bytes}},
                     dsm::Cyclic{.pages = 1, .count = space.ranks()});
  if (!board.ok()) return board.status();
  const std::vector<double> expected =
      ComputeAlone(problem, SlabOf(problem, space.rank(), space.ranks()));
  std::vector<stencil::Row> rows;
  // Most threads first: so many touch the pages first.
  for (auto count = threads->rbegin(); count != threads->rend(); ++count) {
    omp_set_num_threads(*count);
    std::vector<std::vector<stencil::Row>> repetitions(static_cast<std::size_t>(flags.repetitions));
    for (std::vector<stencil::Row>& repetition : repetitions) {
      for (const stencil::Algorithm& algorithm : *algorithms) {
        const auto row = Measure(space, problem, algorithm, *shared, *board, expected);
        if (!row.ok()) return row.status();
        // All ranks end as the first does.
        if (absl::Status right = CheckAnswer(*row); !right.ok()) return right;
        repetition.push_back(*row);
      }
    }
    for (const stencil::Row& row : stencil::MiddleRows(repetitions)) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const stencil::Row& a, const stencil::Row& b) {
    return a.threads < b.threads;
  });
  if (!outputs) return absl::OkStatus();
  const std::string target =
      absl::StrCat("--run_under='//llcl:llclrun -n ", space.ranks(), "' //apps/stencil");
  return Commit(OutcomeOf(rows, flags, program::CommandOf(target, argc, argv)), *topology,
                *outputs);
}

absl::Status MainSimulated(const CLI::App& app, const DsmFlags& flags, const std::string& command) {
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const auto simulated =
      Resolve(app, flags, flags.simulated, flags.algorithm, flags.page_bytes, *topology);
  if (!simulated.ok()) return simulated.status();
  auto outputs = stencil::OpenOutputs(flags);
  if (!outputs.ok()) return outputs.status();
  program::Progress progress;
  const auto rows = SimulateAll(*simulated, [&](const std::string& line) { progress.Show(line); });
  if (!rows.ok()) return rows.status();
  return Commit(OutcomeOf(*rows, *simulated, flags.figure, command), *topology, *outputs);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Three-dimensional stencils on distributed shared memory.", "stencil");
  program::AddVersion(app, program::Commit());
  DsmFlags flags;
  AddFlags(app, flags);
  app.add_option(
      "--algorithm", flags.algorithm,
      "A1 (a step at a time), A2 (blocked in time), A3 (blocked in two phases); with p, by "
      "preload; A1o while the rest is computed; A1l by lightweight threads, of which others run "
      "while "
      "one waits; several with commas, or all (default A1p); of "
      "simulated nodes also mpi, message "
      "passing (default all and mpi)");
  app.add_option("--block", flags.problem.block,
                 "steps at once of A2 and A3 (default 16, the paper's)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--page-bytes", flags.page_bytes,
                 "a page of the space (default 4096; simulated 1048576)");
  app.add_option("--engine", flags.engine, "how pages come: userfaultfd or segv")
      ->check(CLI::IsMember({"automatic", "userfaultfd", "segv"}));
  CLI::Option* const mode =
      app.add_option("--mode", flags.mode,
                     "real ranks, that a launcher has started, or simulated nodes, started without "
                     "one (default real)")
          ->check(CLI::IsMember({"real", "simulated"}));
  AddSimulatedFlags(app, *mode, flags.simulated);
  return program::Run(app, argc, argv, [&] {
    if (flags.mode == "real") return Main(flags, argc, argv);
    return MainSimulated(app, flags, program::CommandOf("//apps/stencil", argc, argv));
  });
}
