// Block Cholesky factorization by tasks, whose data taskrt moves.
//
// Source: [WLBS20] section 4.
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "apps/cholesky/factorize/factorize.h"
#include "apps/cholesky/run/flags.h"
#include "apps/cholesky/run/places_file.h"
#include "apps/cholesky/run/results.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "taskrt/trace/trace_json.h"

namespace {

absl::Status Main(const cholesky::Flags& flags, const std::string& command) {
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  auto resolved = cholesky::Resolve(flags, *topology);
  if (!resolved.ok()) return resolved.status();
  const auto missing = cholesky::FindMissing(*resolved);
  if (!missing.ok()) return missing.status();
  const bool writes_schedule = flags.scheduler != "replay";
  auto outputs = program::Outputs::Open({{"--json", flags.json},
                                         {"--trace", flags.trace},
                                         {"--svg", flags.svg},
                                         {"--schedule", writes_schedule ? flags.schedule : ""}});
  if (!outputs.ok()) return outputs.status();
  std::ostream& output = outputs->text();
  if (!missing->empty()) output << "Without devices that were asked for: " << *missing << ".\n";
  if (flags.scheduler == "replay") {
    auto places = cholesky::ReadSchedule(flags.schedule);
    if (!places.ok()) return places.status();
    resolved->setup.schedule = {.file = flags.schedule, .places = *std::move(places)};
  }
  std::optional<taskrt::CopyPlan> plan;
  if (flags.plan) {
    const auto planned = cholesky::PlanFor(resolved->problem, resolved->setup);
    if (!planned.ok()) return planned.status();
    plan = *planned;
    output << "The plan: " << plan->copies.h2d.copies << " copies to devices, "
           << plan->copies.d2h.copies << " to the host, " << plan->copies.d2d.copies << " across; "
           << plan->least.copies << " at least." << std::endl;
  }
  auto row = cholesky::FactorizeRepeatedly(resolved->problem, resolved->setup, flags.repetitions);
  if (!row.ok()) return row.status();
  row->missing = *missing;
  for (const std::string& note : row->notes) std::cerr << "cholesky: " << note << ".\n";
  output << ToText(*resolved, *row, outputs->color());
  if (row->devices > 0 || plan) output << '\n' << CopiesToText(*row, plan);
  absl::Status status = plan ? CheckPlan(*plan, *row) : absl::OkStatus();
  const auto commit = [&](const char* flag, const auto& contents) {
    if (status.ok()) status = outputs->Commit(flag, contents);
  };
  commit("--trace", [&] { return taskrt::ToChromeTrace(row->trace); });
  commit("--svg", [&] { return TimelineOf(*resolved, *row); });
  commit("--schedule", [&] { return cholesky::ScheduleToText(row->places); });
  commit("--json", [&] {
    program::Record record("cholesky", program::kVersion,
                           program::DescribeMachine(*topology, program::Commit()));
    record.parameters() = {{"command", command}, {"seed", flags.seed}, {"dry", flags.dry}};
    record.AddResult(ToJson(*resolved, *row));
    return record.ToText();
  });
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const auto app =
      program::MakeApp("Block Cholesky factorization by tasks, whose data the runtime moves.",
                       "cholesky", program::Commit());
  cholesky::Flags flags;
  cholesky::AddFlags(*app, flags);
  return program::Run(*app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/cholesky", argc, argv));
  });
}
