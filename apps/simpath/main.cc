// Counts the simple paths between two vertices of a graph, exactly.
//
// Source: [ULIBC14] section 4.2.
#include <CLI/CLI.hpp>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/simpath/flags.h"
#include "apps/simpath/rows.h"

namespace {

absl::Status Main(const simpath::Flags& flags, const std::string& command) {
  const auto resolved = simpath::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json}});
  if (!outputs.ok()) return outputs.status();

  absl::StatusOr<std::vector<simpath::Row>> rows;
  {
    program::Progress progress;
    rows = simpath::CountRows(*resolved,
                              [&](const std::string& line) { progress.Show("simpath: " + line); });
  }
  if (!rows.ok()) return rows.status();
  program::Record record("simpath", "0.1.0",
                         program::DescribeMachine(resolved->topology, program::Commit()));
  record.parameters() = {{"command", command}};
  for (const simpath::Row& row : *rows) record.AddResult(ToJson(row));

  outputs->text() << resolved->name << ": " << rows->front().count.ToString() << " simple paths\n\n"
                  << ToTable(*rows, outputs->color());
  return outputs->Commit("--json", [&] { return record.ToText(); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Counts the simple paths between two vertices of a graph, exactly.", "simpath");
  simpath::Flags flags;
  simpath::AddFlags(app, flags);
  return program::Run(app, argc, argv, [&] {
    return Main(flags, program::CommandOf("//apps/simpath", argc, argv));
  });
}
