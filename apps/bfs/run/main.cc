// Breadth-first search as Graph500 measures it, on a generated graph or on a file's.
//
// Source: [ULIBC14] section 4.1.
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/bfs/run/flags.h"
#include "apps/bfs/run/results.h"
#include "apps/bfs/run/rows.h"
#include "apps/bfs/run/trees.h"
#include "apps/graph/reading.h"
#include "apps/graph/serialized.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"

namespace {

absl::Status Main(const bfs::Flags& flags, const std::string& command) {
  const auto resolved = bfs::Resolve(flags);
  if (!resolved.ok()) return resolved.status();
  auto outputs = program::Outputs::Open({{"--json", flags.json},
                                         {"--svg", flags.svg},
                                         {"--output", flags.output},
                                         {"--save", flags.save}});
  if (!outputs.ok()) return outputs.status();
  if (!flags.save.empty()) {
    auto bytes = graph::Serialize(resolved->tuples.List());
    if (!bytes.ok()) return bytes.status();
    const absl::Status saved = outputs->Commit("--save", [&] { return *std::move(bytes); });
    if (!saved.ok()) return saved;
  }

  absl::StatusOr<bfs::Rows> measured;
  {
    program::Progress progress;
    measured = bfs::MeasureRows(*resolved, flags,
                                [&](const std::string& line) { progress.Show("bfs: " + line); });
  }
  if (!measured.ok()) return measured.status();
  const std::vector<bfs::Row>& rows = measured->rows;
  program::Record record("bfs", program::kVersion,
                         program::DescribeMachine(resolved->topology, program::Commit()));
  record.parameters()["command"] = command;
  if (const auto& reference = resolved->tuples.reference()) {
    record.parameters()["seed1"] = reference->seed1;
    record.parameters()["seed2"] = reference->seed2;
  } else {
    record.parameters()["seed"] = resolved->seed;
  }
  record.parameters()["keys"] = rows.front().searched.size();
  if (resolved->report) record.parameters()["reading"] = graph::ToJson(*resolved->report);
  for (const bfs::Row& row : rows) record.AddResult(ToJson(row));

  outputs->text() << ToText(rows.front(), outputs->color()) << "\n"
                  << ToTable(rows, outputs->color());
  absl::Status status = outputs->Commit("--json", [&] { return record.ToText(); });
  status.Update(outputs->Commit("--svg", [&] { return ToSvg(rows); }));
  status.Update(
      outputs->Commit("--output", [&] { return ToText(measured->trees, resolved->tuples.ids()); }));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const auto app =
      program::MakeApp("Breadth-first search as Graph500 measures it.", "bfs", program::Commit());
  bfs::Flags flags;
  bfs::AddFlags(*app, flags);
  return program::Run(*app, argc, argv,
                      [&] { return Main(flags, program::CommandOf("//apps/bfs", argc, argv)); });
}
