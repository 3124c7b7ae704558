#include "apps/stencil/results.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/program/commit.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/stencil/split_plot.h"

namespace stencil {
namespace {

using program::Fixed;

std::string Title(const Row& row) {
  return absl::StrCat(row.points, "-point stencil, ", row.ranks,
                      row.ranks == 1 ? " rank" : " ranks");
}

}  // namespace

program::Json ToJson(const Row& row) {
  program::Json json = {{"algorithm", row.algorithm},
                        {"points", row.points},
                        {"ranks", row.ranks},
                        {"threads", row.threads}};
  if (row.page_bytes > 0) json["page_bytes"] = row.page_bytes;
  json["updates_per_s"] = row.updates_per_s();
  json["seconds"] = row.seconds;
  json["compute_seconds"] = row.compute_seconds;
  json["preload_seconds"] = row.preload_seconds;
  json["barrier_seconds"] = row.barrier_seconds;
  json["exchanges"] = row.exchanges;
  json["faults"] = row.faults;
  json["pages_fetched"] = row.pages_fetched;
  json["switches"] = row.switches;
  json["max_abs_error"] = row.max_abs_error;
  return json;
}

std::string ToText(const std::vector<Row>& rows, program::Color color) {
  program::Table table({{"algorithm", program::Table::Align::kLeft},
                        {"points"},
                        {"ranks"},
                        {"threads"},
                        {"Mupdates/s"},
                        {"seconds"},
                        {"compute"},
                        {"preload"},
                        {"barrier"},
                        {"exchanges"},
                        {"faults"},
                        {"pages"}});
  for (const Row& row : rows) {
    table.AddRow({row.algorithm, std::to_string(row.points), std::to_string(row.ranks),
                  std::to_string(row.threads), Fixed(row.updates_per_s() / 1e6, 1),
                  Fixed(row.seconds, 3), Fixed(row.compute_seconds, 3),
                  Fixed(row.preload_seconds, 3), Fixed(row.barrier_seconds, 3),
                  std::to_string(row.exchanges), std::to_string(row.faults),
                  std::to_string(row.pages_fetched)});
  }
  return table.Render(color) + "right in every bit\n";
}

std::string SplitToSvg(const std::vector<Row>& rows) {
  const bool sweeps = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.threads != rows.front().threads;
  });
  std::vector<TimeSplit> splits;
  for (const Row& row : rows) {
    splits.push_back({sweeps ? absl::StrCat(row.algorithm, ", ", row.threads) : row.algorithm,
                      row.seconds, row.compute_seconds, row.preload_seconds, 0,
                      row.barrier_seconds});
  }
  return SplitPlot(Title(rows.front()) + ": parts of the time", splits, "seconds");
}

std::string SpeedToSvg(const std::vector<Row>& rows) {
  program::LinePlot plot = {.title = Title(rows.front()),
                            .x_label = "threads of each rank",
                            .y_label = "Mupdates/s",
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  for (const Row& row : rows) {
    auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                             [&](const program::Line& each) { return each.name == row.algorithm; });
    if (line == plot.lines.end()) {
      line = plot.lines.insert(line, {.name = row.algorithm, .points = {}});
    }
    line->points.push_back({static_cast<double>(row.threads), row.updates_per_s() / 1e6});
  }
  return ToSvg(plot);
}

absl::Status CheckAnswer(const Row& row) {
  if (row.max_abs_error == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the answer of ", row.algorithm,
                                          " is wrong: it differs by ", row.max_abs_error,
                                          " from what one rank computes"));
}

Outcome OutcomeOf(const std::vector<Row>& rows, const Flags& flags, const std::string& command) {
  const Problem& problem = flags.problem;
  Outcome outcome;
  outcome.text = [rows](program::Color color) { return ToText(rows, color); };
  outcome.parameters = {{"command", command}, {"nz", problem.nz},       {"ny", problem.ny},
                        {"nx", problem.nx},   {"steps", problem.steps}, {"block", problem.block}};
  for (const Row& row : rows) outcome.rows.push_back(ToJson(row));
  outcome.svg = [rows, figure = flags.figure] {
    return figure == "split" ? SplitToSvg(rows) : SpeedToSvg(rows);
  };
  return outcome;
}

absl::StatusOr<program::Outputs> OpenOutputs(const Flags& flags) {
  return program::Outputs::Open({{"--json", flags.json}, {"--svg", flags.svg}});
}

absl::Status Commit(const Outcome& outcome, const topo::Topology& topology,
                    program::Outputs& outputs) {
  outputs.text() << outcome.text(outputs.color());
  const absl::Status written = outputs.Commit("--json", [&] {
    program::Record record("stencil", "0.1.0",
                           program::DescribeMachine(topology, program::Commit()));
    record.parameters() = outcome.parameters;
    for (const program::Json& row : outcome.rows) record.AddResult(row);
    return record.ToText();
  });
  return written.ok() ? outputs.Commit("--svg", outcome.svg) : written;
}

}  // namespace stencil
