#include "apps/stencil/run/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/program/flags.h"

namespace stencil {

void AddFlags(CLI::App& app, Flags& flags) {
  Problem& problem = flags.problem;
  app.add_option("--nz", problem.nz, "planes; the ranks share them (default 256)");
  app.add_option("--ny", problem.ny, "rows of a plane (default 256; simulated 2048)");
  app.add_option("--nx", problem.nx, "points of a row (default 256; simulated 4096)");
  app.add_option("--points", problem.points, "of a neighborhood: 7 or 27 (default 7)")
      ->check(CLI::IsMember({7, 27}));
  app.add_option("--steps", problem.steps, "(default 128, the paper's)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--threads", flags.threads,
                 "of each rank: a count, several with commas, or all: 1, 2, 4, ... up to its share "
                 "of this machine (default: that share; simulated 24, or 52 with 27 points)");
  app.add_option("--repetitions", flags.repetitions,
                 "of each measurement, in which algorithms take turns: the figure is of the one in "
                 "the middle, beside its quartiles (default 1)")
      ->check(CLI::Range(1, 1000));
  program::AddOutputFlags(app, flags.json, flags.svg);
  app.add_option(
         "--figure", flags.figure,
         "what to draw: split, the parts of the time, or speed by threads (default split); of "
         "simulated nodes split, speed or time by nodes")
      ->check(CLI::IsMember({"split", "speed", "time"}));
}

absl::StatusOr<std::vector<int>> ThreadCounts(const Flags& flags, const topo::Topology& topology,
                                              int ranks) {
  const int share = std::max(1, topology.default_threads() / ranks);
  if (flags.threads.empty()) return std::vector{share};
  auto counts = program::ParseThreads(flags.threads, topology, program::Oversubscribe::kAllow);
  if (!counts.ok() || flags.threads != "all") return counts;
  std::erase_if(*counts, [&](int count) { return count >= share; });
  counts->push_back(share);
  return counts;
}

}  // namespace stencil
