// Block Cholesky factorization by tasks, whose data taskrt moves.
//
// Source: [WLBS20] section 4.
#include <iostream>
#include <optional>
#include <string>

#include "apps/cholesky/factorize.h"
#include "apps/cholesky/flags.h"
#include "apps/cholesky/results.h"
#include "apps/cholesky/schedule.h"
#include "apps/cholesky/setup.h"
#include "apps/program/commit.h"
#include "apps/program/output_file.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "taskrt/trace/trace_json.h"

namespace {

// None where the flag was not given.
absl::StatusOr<std::optional<program::OutputFile>> OpenIfAsked(const std::string& path) {
  std::optional<program::OutputFile> file;
  if (path.empty()) return file;
  auto opened = program::OutputFile::Open(path);
  if (!opened.ok()) return opened.status();
  file.emplace(*std::move(opened));
  return file;
}

absl::Status Main(const cholesky::Flags& flags, const std::string& command) {
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  const auto resolved = cholesky::Resolve(flags, *topology);
  if (!resolved.ok()) return resolved.status();
  const auto missing = cholesky::FindMissing(*resolved);
  if (!missing.ok()) return missing.status();
  const bool writes_schedule = flags.scheduler != "replay";
  auto json = OpenIfAsked(flags.json), trace = OpenIfAsked(flags.trace),
       svg = OpenIfAsked(flags.svg), schedule = OpenIfAsked(writes_schedule ? flags.schedule : "");
  for (const auto* file : {&json, &trace, &svg, &schedule}) {
    if (!file->ok()) return file->status();
  }
  // Whoever asked for a file on standard output wants nothing else there.
  const bool output_is_taken = flags.json == "-" || flags.trace == "-" || flags.svg == "-";
  std::ostream& output = output_is_taken ? std::cerr : std::cout;
  if (!missing->empty()) output << "Without devices that were asked for: " << *missing << ".\n";
  std::optional<taskrt::CopyPlan> plan;
  if (flags.plan) {
    const auto planned = cholesky::PlanFor(*resolved);
    if (!planned.ok()) return planned.status();
    plan = *planned;
    output << "The plan: " << plan->copies.h2d.copies << " copies to devices, "
           << plan->copies.d2h.copies << " to the host, " << plan->copies.d2d.copies << " across; "
           << plan->least.copies << " at least." << std::endl;
  }
  auto row = cholesky::Factorize(*resolved);
  if (!row.ok()) return row.status();
  row->missing = *missing;
  for (const std::string& note : row->notes) std::cerr << "cholesky: " << note << ".\n";
  output << ToText(
      *resolved, *row,
      program::ColorOf(output_is_taken ? program::Stream::kError : program::Stream::kOutput));
  if (row->devices > 0 || plan) output << '\n' << CopiesToText(*row, plan);
  absl::Status status = plan ? CheckPlan(*plan, *row) : absl::OkStatus();
  if (status.ok() && *trace) status = (*trace)->Commit(taskrt::ToChromeTrace(row->trace));
  if (status.ok() && *svg) status = (*svg)->Commit(TimelineOf(*resolved, *row));
  if (status.ok() && *schedule) {
    status = (*schedule)->Commit(cholesky::ScheduleToText(row->places));
  }
  if (!status.ok() || !*json) return status;
  program::Record record("cholesky", "0.1.0",
                         program::DescribeMachine(*topology, program::Commit()));
  record.parameters() = {{"command", command}, {"seed", flags.seed}, {"dry", flags.dry}};
  record.AddResult(ToJson(*resolved, *row));
  return (*json)->Commit(record.ToText());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Block Cholesky factorization by tasks, whose data the runtime moves.", "cholesky");
  cholesky::Flags flags;
  cholesky::AddFlags(app, flags);
  return program::Run(app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/cholesky", argc, argv));
  });
}
