// STREAM with affinity: memory bandwidth by policy, threads and placement.
//
// Source: [ULIBC14] section 3.3, figure 8.
#include <iostream>
#include <optional>

#include "apps/program/commit.h"
#include "apps/program/output_file.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/stream/flags.h"
#include "apps/stream/measure.h"
#include "apps/stream/results.h"

namespace {

// Nothing where the flag was not given.
absl::StatusOr<std::optional<program::OutputFile>> OpenIfAsked(const std::string& path) {
  if (path.empty()) return std::nullopt;
  auto file = program::OutputFile::Open(path);
  if (!file.ok()) return file.status();
  return std::optional(*std::move(file));
}

program::Record MakeRecord(const stream::Flags& flags, const stream::Resolved& resolved,
                           const std::string& command) {
  program::Record record("stream", "0.1.0",
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
  auto json = OpenIfAsked(flags.json);
  if (!json.ok()) return json.status();
  auto svg = OpenIfAsked(flags.svg);
  if (!svg.ok()) return svg.status();
  // Whoever asked for a file on standard output wants nothing else there.
  const bool output_is_taken = flags.json == "-" || flags.svg == "-";
  std::ostream& out = output_is_taken ? std::cerr : std::cout;
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
  out << ToText(
      rows, program::ColorOf(output_is_taken ? program::Stream::kError : program::Stream::kOutput));
  for (const std::string& note : notes) out << "placement: " << note << "\n";
  if (flags.verify_placement) record.parameters()["placement_notes"] = notes;
  if (*json) {
    if (absl::Status status = (*json)->Commit(record.ToText()); !status.ok()) return status;
  }
  if (*svg) return (*svg)->Commit(ToSvg(rows));
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Memory bandwidth (STREAM) by affinity policy, threads and placement.", "stream");
  stream::Flags flags;
  stream::AddFlags(app, flags);
  return program::Run(app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/stream", argc, argv)); });
}
