// Counts the simple paths between two vertices of a graph, exactly.
//
// Source: [ULIBC14] section 4.2.
#include <cstdlib>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "apps/graph/reading.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/simpath/run/diagram.h"
#include "apps/simpath/run/flags.h"
#include "apps/simpath/run/results.h"
#include "apps/simpath/run/rows.h"

namespace {

// hwloc loads its plugins, libraries of devices, when it reads a machine. This program uses no
// devices, and loading takes 3 ms. The plugin for XML is needed with a topology file only.
void LeaveOutDevices(const simpath::Flags& flags) {
  constexpr int kUnlessSet = 0;
  if (!flags.topology.empty()) return;
  (void)setenv("HWLOC_PLUGINS_PATH", "/dev/null", kUnlessSet);
}

// A value: rows, or with --forecast the others.
struct Answers {
  std::vector<simpath::Row> rows;
  std::vector<simpath::ForecastRow> forecasts;
};

absl::StatusOr<Answers> Answer(const simpath::Flags& flags, const simpath::Resolved& resolved) {
  program::Progress progress;
  const auto show = [&](const std::string& line) { progress.Show("simpath: " + line); };
  Answers answers;
  if (flags.forecast) {
    auto forecasts = simpath::ForecastRows(resolved, show);
    if (!forecasts.ok()) return forecasts.status();
    answers.forecasts = *std::move(forecasts);
  } else {
    auto rows = simpath::CountRows(resolved, show);
    if (!rows.ok()) return rows.status();
    answers.rows = *std::move(rows);
  }
  return answers;
}

program::Record RecordOf(const simpath::Resolved& resolved, const Answers& answers,
                         const simpath::Diagram& diagram, const std::string& command) {
  program::Record record("simpath", program::kVersion,
                         program::DescribeMachine(resolved.topology, program::Commit()));
  record.parameters() = {{"command", command}};
  if (resolved.report) record.parameters()["reading"] = graph::ToJson(*resolved.report);
  if (diagram.nodes > 0) record.parameters()["zdd_nodes"] = diagram.nodes;
  for (const simpath::ForecastRow& row : answers.forecasts) record.AddResult(ToJson(row));
  for (const simpath::Row& row : answers.rows) {
    record.AddResult(ToJson(row));
    if (!row.checked) record.SetUnverified();
  }
  return record;
}

std::string TextOf(const simpath::Flags& flags, const simpath::Resolved& resolved,
                   const Answers& answers, const simpath::Diagram& diagram, program::Color color) {
  std::string text;
  for (const simpath::ForecastRow& row : answers.forecasts) text += ToText(row, color);
  if (flags.number_only) {
    for (const simpath::Row& row : answers.rows) absl::StrAppend(&text, row.count.ToString(), "\n");
    return text;
  }
  if (!flags.forecast) text += ToText(answers.rows, color);
  if (diagram.nodes > 0) {
    absl::StrAppend(&text, "\nAll paths of ", resolved.instances.front().name,
                    " as a reduced ZDD: ", diagram.nodes, " nodes.\n");
  }
  return text;
}

absl::Status Main(const simpath::Flags& flags, const std::string& command) {
  LeaveOutDevices(flags);
  const auto resolved = simpath::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json},
                                         {"--svg", flags.svg},
                                         {"--dot", flags.dot},
                                         {"--paths", flags.paths}});
  if (!outputs.ok()) return outputs.status();
  const auto diagram = simpath::Draw(flags, *resolved);
  if (!diagram.ok()) return diagram.status();
  const auto answers = Answer(flags, *resolved);
  if (!answers.ok()) return answers.status();
  const program::Record record = RecordOf(*resolved, *answers, *diagram, command);
  outputs->text() << TextOf(flags, *resolved, *answers, *diagram, outputs->color());
  absl::Status status = outputs->Commit("--json", [&] { return record.ToText(); });
  if (!flags.forecast)
    status.Update(outputs->Commit("--svg", [&] { return ToSvg(answers->rows); }));
  status.Update(outputs->Commit("--dot", [&] { return diagram->dot; }));
  status.Update(outputs->Commit("--paths", [&] { return diagram->paths; }));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const auto app = program::MakeApp("Counts simple paths or cycles of a graph, exactly.", "simpath",
                                    program::Commit());
  simpath::Flags flags;
  simpath::AddFlags(*app, flags);
  return program::Run(*app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/simpath", argc, argv));
  });
}
