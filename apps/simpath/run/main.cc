// Counts the simple paths between two vertices of a graph, exactly.
//
// Source: [ULIBC14] section 4.2.
#include <cstdlib>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apps/graph/reading.h"
#include "apps/program/commit.h"
#include "apps/program/outputs.h"
#include "apps/program/record.h"
#include "apps/program/run.h"
#include "apps/program/terminal.h"
#include "apps/simpath/frontier/zdd.h"
#include "apps/simpath/order/order.h"
#include "apps/simpath/run/flags.h"
#include "apps/simpath/run/results.h"
#include "apps/simpath/run/rows.h"

namespace {

// What --dot and --paths ask for, of the first graph as its edges are ordered.
struct Diagram {
  std::string dot, paths;
  std::size_t nodes = 0;
};

absl::StatusOr<Diagram> Draw(const simpath::Flags& flags, const simpath::Resolved& resolved) {
  Diagram diagram;
  if (flags.dot.empty() && flags.paths.empty()) return diagram;
  const simpath::Instance& instance = resolved.instances.front();
  if (instance.problem.source == instance.problem.target) {
    return absl::InvalidArgumentError(
        "--dot and --paths need two vertices: from one to itself there is the path of no edge");
  }
  const simpath::Problem problem = simpath::Ordered(instance.problem, resolved.order);
  const auto zdd = simpath::Zdd::Of(problem, resolved.memory_limit);
  if (!zdd.ok()) return zdd.status();
  diagram.nodes = zdd->size();
  if (!flags.dot.empty()) diagram.dot = zdd->ToDot(problem, instance.ids);
  if (flags.paths.empty() || zdd->root() == simpath::Zdd::kZero) return diagram;
  const simpath::Sampler sampler(*zdd);
  std::mt19937_64 random(flags.seed);
  for (int i = 0; i < flags.samples; ++i) {
    const auto vertices = simpath::VerticesOf(problem, sampler.Draw(random));
    const auto add_id = [&](std::string* text, graph::Vertex vertex) {
      absl::StrAppend(text, instance.ids.of(vertex));
    };
    absl::StrAppend(&diagram.paths, absl::StrJoin(vertices, " ", add_id), "\n");
  }
  return diagram;
}

// hwloc loads its plugins, libraries of devices, when it reads a machine. This program uses no
// devices, and loading takes 3 ms. The plugin for XML is needed with a topology file only.
void LeaveOutDevices(const simpath::Flags& flags) {
  constexpr int kUnlessSet = 0;
  if (!flags.topology.empty()) return;
  (void)setenv("HWLOC_PLUGINS_PATH", "/dev/null", kUnlessSet);
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
  const auto diagram = Draw(flags, *resolved);
  if (!diagram.ok()) return diagram.status();

  absl::StatusOr<std::vector<simpath::Row>> rows;
  absl::StatusOr<std::vector<simpath::ForecastRow>> forecasts;
  {
    program::Progress progress;
    const auto show = [&](const std::string& line) { progress.Show("simpath: " + line); };
    if (flags.forecast) {
      forecasts = simpath::ForecastRows(*resolved, show);
      if (!forecasts.ok()) return forecasts.status();
    } else {
      rows = simpath::CountRows(*resolved, show);
      if (!rows.ok()) return rows.status();
    }
  }
  program::Record record("simpath", program::kVersion,
                         program::DescribeMachine(resolved->topology, program::Commit()));
  record.parameters() = {{"command", command}};
  if (resolved->report) record.parameters()["reading"] = graph::ToJson(*resolved->report);
  if (diagram->nodes > 0) record.parameters()["zdd_nodes"] = diagram->nodes;
  if (flags.forecast) {
    for (const simpath::ForecastRow& row : *forecasts) {
      record.AddResult(ToJson(row));
      outputs->text() << ToText(row, outputs->color());
    }
  } else {
    for (const simpath::Row& row : *rows) {
      record.AddResult(ToJson(row));
      if (!row.checked) record.SetUnverified();
    }
    if (flags.number_only) {
      for (const simpath::Row& row : *rows) outputs->text() << row.count.ToString() << "\n";
    } else {
      outputs->text() << ToText(*rows, outputs->color());
    }
  }
  if (diagram->nodes > 0 && !flags.number_only) {
    outputs->text() << "\nAll paths of " << resolved->instances.front().name
                    << " as a reduced ZDD: " << diagram->nodes << " nodes.\n";
  }
  absl::Status status = outputs->Commit("--json", [&] { return record.ToText(); });
  if (!flags.forecast) status.Update(outputs->Commit("--svg", [&] { return ToSvg(*rows); }));
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
