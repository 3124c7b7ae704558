// STREAM with affinity: memory bandwidth by policy, threads and placement.
//
// Source: [ULIBC14] section 3.3, figure 8.
#include <ostream>

#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/stream/measure/measure.h"
#include "apps/stream/run/flags.h"
#include "apps/stream/run/results.h"

namespace {

program::Record MakeRecord(const stream::Flags& flags, const stream::Resolved& resolved,
                           const std::string& command) {
  program::Record record("stream", program::kVersion,
                         program::DescribeMachine(resolved.topology, program::Commit()));
  const stream::Options& options = resolved.options;
  record.parameters() = {{"command", command},
                         {"policy", flags.policy},
                         {"threads", flags.threads.empty() ? "default" : flags.threads},
                         {"placement", ToString(options.where)},
                         {"pages", stream::ToString(options.pages)},
                         {"kernel", ToString(options.choice)},
                         {"runtime", ToString(options.runtime)},
                         {"elements", options.elements},
                         {"repetitions", options.repetitions}};
  return record;
}

absl::Status Main(const stream::Flags& flags, const std::string& command) {
  const auto resolved = stream::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json}, {"--svg", flags.svg}});
  if (!outputs.ok()) return outputs.status();
  std::ostream& out = outputs->text();
  if (!resolved->note.empty()) out << "stream: " << resolved->note << "\n";

  program::Record record = MakeRecord(flags, *resolved, command);
  std::vector<stream::Row> rows;
  std::vector<std::string> notes;
  {
    program::Progress progress;
    for (const topo::Mapping& mapping : resolved->mappings) {
      auto measurement =
          stream::Measure(resolved->topology, mapping, resolved->options,
                          [&](const std::string& line) { progress.Show("stream: " + line); });
      if (!measurement.ok()) return measurement.status();
      for (stream::Row& row : measurement->rows) {
        record.AddResult(ToJson(row));
        rows.push_back(std::move(row));
      }
      for (std::string& note : measurement->notes) notes.push_back(std::move(note));
    }
  }
  out << ToText(rows, outputs->color());
  for (const std::string& note : notes) out << "placement: " << note << "\n";
  if (flags.verify_placement) record.parameters()["placement_notes"] = notes;
  const absl::Status written = outputs->Commit("--json", [&] { return record.ToText(); });
  if (!written.ok()) return written;
  return outputs->Commit("--svg", [&] { return ToSvg(rows); });
}

}  // namespace

int main(int argc, char** argv) {
  const auto app =
      program::MakeApp("Memory bandwidth (STREAM) by affinity policy, threads and placement.",
                       "stream", program::Commit());
  stream::Flags flags;
  stream::AddFlags(*app, flags);
  return program::Run(*app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/stream", argc, argv)); });
}
