#include <algorithm>
#include <cstdlib>
#include <string>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"

namespace report {
namespace {

using program::Fixed;

std::vector<Json> RowsOfMode(const std::vector<Run>& runs, const std::string& mode) {
  std::vector<Json> rows;
  for (const Run& run : runs) {
    for (const Json& row : run.results) {
      if (TextOf(row, "mode") == mode) rows.push_back(row);
    }
  }
  return rows;
}

// "original", "depth, k = 8".
std::string SeriesOf(const Json& row) {
  const std::string variant = TextOf(row, "variant");
  return TextOf(row, "policy") == "depth" ? variant + ", k = " + TextOf(row, "candidates")
                                          : variant;
}

std::vector<std::string> Series(const std::vector<Json>& rows) {
  std::vector<std::string> series;
  for (const Json& row : rows) {
    if (std::find(series.begin(), series.end(), SeriesOf(row)) == series.end()) {
      series.push_back(SeriesOf(row));
    }
  }
  return series;
}

int WorkersOf(const Json& row) { return static_cast<int>(NumberOf(row, "workers")); }

int MostWorkers(const std::vector<Json>& rows) {
  int most = 0;
  for (const Json& row : rows) most = std::max(most, WorkersOf(row));
  return most;
}

// Counters are of all repetitions together.
double EachOf(const Json& row, double count) {
  return count / std::max(1.0, NumberOf(row, "repetitions"));
}

// The paper's figure 3; bars where there is one number of workers.
std::string Speed(const std::vector<Json>& rows, const std::string& workers) {
  if (Values(rows, "workers").size() > 1) {
    program::LinePlot plot = {.title = "Matrix product: speed by " + workers,
                              .x_label = workers,
                              .y_label = "GFLOP/s",
                              .lines = {}};
    for (const std::string& series : Series(rows)) {
      program::Line line = {.name = series, .points = {}};
      for (const Json& row : rows) {
        if (SeriesOf(row) != series) continue;
        line.points.push_back({NumberOf(row, "workers"), NumberOf(row, "gflop_per_s"),
                               WhiskerOf(row, "gflop_per_s", 1), QualityOf(row)});
      }
      plot.lines.push_back(std::move(line));
    }
    return "<figure>" + ToSvg(plot) + "</figure>\n";
  }
  program::BarPlot plot = {
      .title = "Matrix product: speed with " + TextOf(rows.front(), "workers") + " " + workers,
      .y_label = "GFLOP/s",
      .groups = {},
      .bars = {{.name = "GFLOP/s", .values = {}}}};
  for (const Json& row : rows) {
    plot.groups.push_back(SeriesOf(row));
    plot.bars.front().values.push_back(NumberOf(row, "gflop_per_s"));
    plot.bars.front().whiskers.push_back(WhiskerOf(row, "gflop_per_s", 1));
    plot.bars.front().qualities.push_back(QualityOf(row));
  }
  return "<figure>" + ToSvg(plot) + "</figure>\n";
}

// The paper's figures 4, 5 and 7: steals by depth, with the most workers.
std::string Steals(const std::vector<Json>& rows, const std::string& workers) {
  const int most = MostWorkers(rows);
  program::BarPlot plot = {
      .title = "Steals of one product by depth, " + std::to_string(most) + " " + workers,
      .x_label = "depth",
      .y_label = "steals",
      .groups = {},
      .bars = {}};
  for (const Json& row : rows) {
    const auto depths = row.find("steals_by_depth");
    if (WorkersOf(row) != most || depths == row.end() || depths->empty()) continue;
    const std::vector<std::string> series = Series(rows);
    const auto index = std::find(series.begin(), series.end(), SeriesOf(row)) - series.begin();
    // The color of its line in the figure above.
    program::Bars bars = {.name = SeriesOf(row), .values = {}, .color = static_cast<int>(index)};
    for (const Json& steals : *depths) {
      bars.values.push_back(EachOf(row, steals.is_number() ? steals.get<double>() : 0));
    }
    while (plot.groups.size() < bars.values.size()) {
      plot.groups.push_back(std::to_string(plot.groups.size()));
    }
    plot.bars.push_back(std::move(bars));
  }
  if (plot.bars.empty()) return Paragraph("Nothing was stolen.");
  return "<figure>" + ToSvg(plot) + "</figure>\n";
}

std::string AllRows(const std::vector<Json>& rows) {
  using Kind = HtmlColumn::Kind;
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    cells.push_back({TextOf(row, "workers"), TextOf(row, "variant"), TextOf(row, "policy"),
                     TextOf(row, "candidates"), FigureOf(row, "gflop_per_s", {}),
                     QuartilesOf(row, "gflop_per_s", {}),
                     FigureOf(row, "ratio_to_cutoff", {.digits = 2}),
                     QuartilesOf(row, "ratio_to_cutoff", {.digits = 2}),
                     Fixed(EachOf(row, NumberOf(row, "spawns")), 1),
                     Fixed(EachOf(row, NumberOf(row, "steals")), 1),
                     Fixed(EachOf(row, NumberOf(row, "lost")), 1)});
  }
  return HtmlTable({{"workers", Kind::kNumber},
                    {"variant", Kind::kWord},
                    {"victims", Kind::kWord},
                    {"candidates", Kind::kNumber},
                    {"GFLOP/s", Kind::kNumber},
                    {"quartiles", Kind::kNumber},
                    {"÷ cutoff", Kind::kNumber},
                    {"its quartiles", Kind::kNumber},
                    {"spawns", Kind::kNumber},
                    {"steals", Kind::kNumber},
                    {"lost", Kind::kNumber}},
                   cells, FootnoteOf(rows));
}

// The original program with the most workers, and how it stands to cutoff there.
std::vector<Headline> Headlines(const std::vector<Json>& rows, const std::string& workers) {
  for (const Json& row : rows) {
    if (TextOf(row, "variant") != "original" || WorkersOf(row) != MostWorkers(rows)) continue;
    const std::string where = ", " + TextOf(row, "workers") + " " + workers;
    const Format format = {.digits = 2};
    std::vector<Headline> headlines = {{FigureOf(row, "gflop_per_s", {}) + " GFLOP/s",
                                        "matrix product with a thread for every half" + where,
                                        SpreadInWords(row, "gflop_per_s", {})}};
    if (NumberOf(row, "ratio_to_cutoff") > 0) {
      headlines.push_back({FigureOf(row, "ratio_to_cutoff", format) + " ×",
                           "of one thread a worker" + where + " (the paper, 32 cores: 0.75)",
                           SpreadInWords(row, "ratio_to_cutoff", format)});
    }
    return headlines;
  }
  return {};
}

}  // namespace

absl::StatusOr<Section> MatmulPart(const std::vector<Run>& runs) {
  Section section{
      .id = "matmul",
      .title = "matmul: who steals at which depth",
      .summary =
          "A recursive product with a lightweight thread for every half, beside one thread a "
          "worker: see what spawning costs, and that thieves take large parts.",
      .html = "",
      .headlines = {}};
  section.html += Paragraph(
      "A recursive matrix product by lightweight threads. Original spawns for every half, cutoff "
      "once a worker, ideal is one worker's speed times the workers; depth is original with "
      "thieves that look at k victims and rob the one whose thread is the shallowest.");
  // Measured and virtual times have plots and tables of their own.
  for (const auto& [mode, workers] : {std::pair<std::string, std::string>{"real", "workers"},
                                      {"simulated", "simulated workers"}}) {
    const std::vector<Json> rows = RowsOfMode(runs, mode);
    if (rows.empty()) continue;
    section.html += Heading("Speed by " + workers + " (the paper's figures 3 and 6)");
    section.html += Speed(rows, workers);
    section.html += Heading("Steals by depth (the paper's figures 4, 5 and 7)");
    section.html += Steals(rows, workers) + AllRows(rows);
    for (Headline& headline : Headlines(rows, workers)) {
      section.headlines.push_back(std::move(headline));
    }
  }
  if (RowsOfMode(runs, "real").empty() && RowsOfMode(runs, "simulated").empty()) {
    return absl::InvalidArgumentError(runs[0].path +
                                      ": expected a result of mode real or simulated");
  }
  section.html += Reproduce(CommandsOf(runs));
  return section;
}

}  // namespace report
