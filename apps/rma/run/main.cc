// The paper's section 5: latency, overhead and message rate of reads of another process's memory,
// by threads, with and without offloading; and collective operations of all ranks, by size.
//
// Source: [ET17] sections 5 and 6, figures 2 to 7.
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/rma/ranks/ranks.h"
#include "apps/rma/run/collective_results.h"
#include "apps/rma/run/flags.h"
#include "apps/rma/run/results.h"
#include "apps/rma/simulated/interconnect.h"
#include "apps/rma/simulated/simulate.h"
#include "llcl/launch/launch.h"

namespace {

absl::StatusOr<program::Outputs> OpenOutputs(const rma::Flags& flags) {
  return program::Outputs::Open({{"--json", flags.json}, {"--svg", flags.svg}});
}

absl::Status Commit(const rma::Measured& measured, const rma::Flags& flags,
                    const rma::Resolved& resolved, const std::string& command, int ranks,
                    program::Outputs& outputs) {
  const program::Machine machine = program::DescribeMachine(resolved.topology, program::Commit());
  program::Record record("rma", program::kVersion, machine);
  record.parameters() = {{"command", command}, {"mode", flags.mode}};
  if (!resolved.simulated) {
    record.parameters()["provider"] = flags.provider;
    record.parameters()["repetitions"] = resolved.repetitions;
    record.parameters()["seconds_each"] = flags.seconds;
    record.parameters()["ranks"] = ranks;
  }
  for (const rma::Row& row : measured.reads) record.AddResult(ToJson(row));
  for (const rma::CollectiveRow& row : measured.collectives) record.AddResult(ToJson(row));
  outputs.text() << ToText(measured.reads, machine.pus, outputs.color())
                 << ToText(measured.collectives, outputs.color());
  const absl::Status written = outputs.Commit("--json", [&] { return record.ToText(); });
  if (!written.ok()) return written;
  return outputs.Commit("--svg", [&] {
    return resolved.figure == rma::Figure::kCollectives ? ToSvg(measured.collectives)
                                                        : ToSvg(measured.reads, resolved.figure);
  });
}

absl::Status Main(const CLI::App& app, const rma::Flags& flags, int argc, const char* const* argv,
                  int& code_of_ranks) {
  const auto resolved = rma::Resolve(app, flags);
  if (!resolved.ok()) return resolved.status();
  const std::string command = program::CommandOf("//apps/rma", argc, argv);
  if (resolved->simulated) {
    auto outputs = OpenOutputs(flags);
    if (!outputs.ok()) return outputs.status();
    rma::Measured measured;
    for (const rma::Point& point : resolved->points) {
      measured.reads.push_back(
          {point, {rma::Simulate(*rma::InterconnectOf(point.network), point)}});
    }
    return Commit(measured, flags, *resolved, command, 2, *outputs);
  }
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) return launch.status();
  if ((*launch)->size() == 1) {
    // What cannot be written is said before there are ranks.
    if (const auto outputs = OpenOutputs(flags); !outputs.ok()) return outputs.status();
    code_of_ranks = rma::StartRanks(resolved->ranks, argc, argv);
    return absl::OkStatus();
  }
  const int ranks = (*launch)->size();
  if (flags.ranks != 0 && flags.ranks != ranks) {
    return absl::InvalidArgumentError("--ranks=" + std::to_string(flags.ranks) +
                                      ": the launcher has started " + std::to_string(ranks));
  }
  const rma::Work work = {.points = resolved->points,
                          .collectives = resolved->collectives,
                          .provider = flags.provider,
                          .repetitions = resolved->repetitions,
                          .each = resolved->each};
  if (ToInt((*launch)->rank()) != 0) {
    return MeasureOn(**launch, work, [](const std::string&) {}).status();
  }
  auto outputs = OpenOutputs(flags);
  if (!outputs.ok()) return outputs.status();
  absl::StatusOr<rma::Measured> measured;
  {
    program::Progress progress;
    measured =
        MeasureOn(**launch, work, [&](const std::string& line) { progress.Show("rma: " + line); });
  }
  if (!measured.ok()) return measured.status();
  return Commit(*measured, flags, *resolved, command, ranks, *outputs);
}

}  // namespace

int main(int argc, char** argv) {
  const auto app = program::MakeApp(
      "Latency, overhead and message rate of reads of another process's memory, by threads, with "
      "and without offloading; and collective operations by size.",
      "rma", program::Commit());
  rma::Flags flags;
  AddFlags(*app, flags);
  int code_of_ranks = 0;
  const int code =
      program::Run(*app, argc, argv, [&] { return Main(*app, flags, argc, argv, code_of_ranks); });
  return code != program::kExitVerified ? code : code_of_ranks;
}
