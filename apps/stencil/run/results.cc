#include "apps/stencil/run/results.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/program/commit.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/stencil/run/split_plot.h"

namespace stencil {
namespace {

using program::Fixed;

std::string Title(const Row& row) {
  return absl::StrCat(row.points, "-point stencil, ", row.ranks,
                      row.ranks == 1 ? " rank" : " ranks");
}

// In millions; "" where there was one repetition.
std::string QuartilesOf(const Row& row) {
  if (row.seconds_each.empty()) return "";
  const program::Spread speeds = row.updates_per_s_spread();
  return program::ToText({speeds.q1 / 1e6, speeds.median / 1e6, speeds.q3 / 1e6}, 1);
}

}  // namespace

program::Spread Row::updates_per_s_spread() const {
  return program::SpeedsOf(updates, seconds_each);
}

std::vector<Row> MiddleRows(const std::vector<std::vector<Row>>& repetitions) {
  const auto times_of = [&](std::size_t i) {
    std::vector<double> seconds;
    for (const std::vector<Row>& rows : repetitions) seconds.push_back(rows[i].seconds);
    return seconds;
  };
  const std::vector<Row>& first = repetitions.front();
  const auto a1p = static_cast<std::size_t>(
      std::find_if(first.begin(), first.end(), [](auto& row) { return row.algorithm == "A1p"; }) -
      first.begin());
  std::vector<Row> middle;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::vector<double> seconds = times_of(i);
    middle.push_back(repetitions[program::MiddleOf(seconds)][i]);
    Row& row = middle.back();
    if (a1p < first.size()) row.ratio_to_a1p = program::RatiosOf(times_of(a1p), seconds);
    for (const std::vector<Row>& rows : repetitions) {
      row.max_abs_error = std::max(row.max_abs_error, rows[i].max_abs_error);
    }
    if (seconds.size() == 1) continue;
    row.seconds_each = seconds;
    row.is_disturbed = program::IsDisturbed(row.updates_per_s_spread());
  }
  for (Row& row : middle) {
    if (a1p < middle.size() &&
        program::Disagree(row.ratio_to_a1p.median,
                          row.updates_per_s() / middle[a1p].updates_per_s())) {
      row.is_disturbed = true;
    }
  }
  return middle;
}

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
  const bool is_repeated = !row.seconds_each.empty();
  if (row.ratio_to_a1p.median > 0) json["ratio_to_a1p"] = row.ratio_to_a1p.median;
  json["repetitions"] = is_repeated ? row.seconds_each.size() : 1;
  if (!is_repeated) return json;
  json["updates_per_s_q1"] = row.updates_per_s_spread().q1;
  json["updates_per_s_q3"] = row.updates_per_s_spread().q3;
  if (row.ratio_to_a1p.median > 0) {
    json["ratio_to_a1p_q1"] = row.ratio_to_a1p.q1;
    json["ratio_to_a1p_q3"] = row.ratio_to_a1p.q3;
  }
  json["disturbed"] = row.is_disturbed;
  return json;
}

std::string ToText(const std::vector<Row>& rows, program::Color color) {
  program::Table table({{"algorithm", program::Table::Align::kLeft},
                        {"points"},
                        {"ranks"},
                        {"threads"},
                        {"Mupdates/s"},
                        {"", program::Table::Align::kLeft},
                        {"quartiles"},
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
                  std::string(row.is_disturbed ? program::kDagger : ""), QuartilesOf(row),
                  Fixed(row.seconds, 3), Fixed(row.compute_seconds, 3),
                  Fixed(row.preload_seconds, 3), Fixed(row.barrier_seconds, 3),
                  std::to_string(row.exchanges), std::to_string(row.faults),
                  std::to_string(row.pages_fetched)});
  }
  const bool has_dagger =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_disturbed; });
  return table.Render(color) + (has_dagger ? std::string(program::kFootnote) + "\n" : "") +
         "right in every bit\n";
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
    program::Point point = {static_cast<double>(row.threads), row.updates_per_s() / 1e6};
    if (!row.seconds_each.empty()) {
      const program::Spread speeds = row.updates_per_s_spread();
      point.whisker = {speeds.q1 / 1e6, speeds.q3 / 1e6};
    }
    if (row.is_disturbed) point.quality = program::Quality::kDisturbed;
    line->points.push_back(point);
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
  outcome.parameters = {{"command", command},
                        {"nz", problem.nz},
                        {"ny", problem.ny},
                        {"nx", problem.nx},
                        {"steps", problem.steps},
                        {"block", problem.block},
                        {"repetitions", flags.repetitions}};
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
