#include "apps/stencil/flags.h"

#include <omp.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "apps/program/commit.h"
#include "apps/program/output_file.h"
#include "apps/program/record.h"
#include "apps/program/table.h"
#include "topo/topo.h"

namespace stencil {

void AddFlags(CLI::App& app, Flags& flags) {
  Problem& problem = flags.problem;
  app.add_option("--nz", problem.nz, "planes; the ranks share them (default 256)");
  app.add_option("--ny", problem.ny, "rows of a plane (default 256)");
  app.add_option("--nx", problem.nx, "points of a row (default 256)");
  app.add_option("--points", problem.points, "of a neighborhood: 7 or 27 (default 7)")
      ->check(CLI::IsMember({7, 27}));
  app.add_option("--steps", problem.steps, "(default 128, the paper's)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--threads", flags.threads, "of each rank (default: this machine's, shared)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--json", flags.json, "write the results to this file, - for standard output");
}

void UseThreads(Flags& flags, int ranks) {
  if (flags.threads == 0) flags.threads = std::max(1, omp_get_max_threads() / ranks);
  omp_set_num_threads(flags.threads);
}

absl::Status Report(const Flags& flags, const Row& row, const std::string& command) {
  if (row.max_abs_error != 0) {
    return absl::InternalError(absl::StrCat("the answer is wrong: it differs by ",
                                            row.max_abs_error, " from what one rank computes"));
  }
  const Problem& problem = flags.problem;
  const double updates = static_cast<double>(problem.size()) * problem.steps / row.seconds;
  std::ostream& out = flags.json == "-" ? std::cerr : std::cout;
  out << row.algorithm << ", " << problem.points << " points, " << row.ranks << " ranks of "
      << flags.threads << " threads: " << program::Fixed(updates / 1e6, 1) << " Mupdates/s in "
      << program::Fixed(row.seconds, 3) << " s (compute " << program::Fixed(row.compute_seconds, 3)
      << ", preload " << program::Fixed(row.preload_seconds, 3) << ", barrier "
      << program::Fixed(row.barrier_seconds, 3) << "), " << row.exchanges << " exchanges, "
      << row.faults << " faults, " << row.pages_fetched << " pages; right in every bit\n";
  if (flags.json.empty()) return absl::OkStatus();
  auto file = program::OutputFile::Open(flags.json);
  if (!file.ok()) return file.status();
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  program::Record record("stencil", "0.1.0",
                         program::DescribeMachine(*topology, program::Commit()));
  record.parameters() = {{"command", command},       {"nz", problem.nz},
                         {"ny", problem.ny},         {"nx", problem.nx},
                         {"points", problem.points}, {"steps", problem.steps},
                         {"threads", flags.threads}};
  record.AddResult({{"algorithm", row.algorithm},
                    {"points", problem.points},
                    {"ranks", row.ranks},
                    {"threads", flags.threads},
                    {"updates_per_s", updates},
                    {"seconds", row.seconds},
                    {"compute_seconds", row.compute_seconds},
                    {"preload_seconds", row.preload_seconds},
                    {"barrier_seconds", row.barrier_seconds},
                    {"exchanges", row.exchanges},
                    {"faults", row.faults},
                    {"pages_fetched", row.pages_fetched},
                    {"max_abs_error", row.max_abs_error}});
  return file->Commit(record.ToText());
}

}  // namespace stencil
