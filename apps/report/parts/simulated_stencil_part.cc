#include <algorithm>
#include <string>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/stencil/run/split_plot.h"

namespace report {
namespace {

using program::Fixed;

double SpeedOf(const Json& row) { return NumberOf(row, "updates_per_s") / 1e9; }

std::vector<Json> RowsOf(const Run& run) { return {run.results.begin(), run.results.end()}; }

std::string Title(const Json& row, const std::string& what) {
  return TextOf(row, "points") + "-point stencil, simulated nodes: " + what;
}

// The paper's figures 8 and 9, (a), and 10: a line an algorithm.
std::string TimeByNodes(const Run& run) {
  const std::vector<Json> rows = RowsOf(run);
  program::LinePlot plot = {.title = Title(rows.front(), "time by nodes"),
                            .x_label = "nodes; each brings planes of its own",
                            .y_label = "virtual seconds",
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  for (const std::string& algorithm : Values(rows, "algorithm")) {
    program::Line line = {.name = algorithm, .points = {}};
    for (const Json& row : rows) {
      if (TextOf(row, "algorithm") != algorithm) continue;
      line.points.push_back({NumberOf(row, "nodes"), NumberOf(row, "virtual_seconds")});
    }
    plot.lines.push_back(std::move(line));
  }
  return "<figure>" + ToSvg(plot) + "</figure>\n";
}

// (c) and (d): an algorithm's parts by nodes, on the same axis for all algorithms.
std::string Split(const Run& run, const std::string& algorithm) {
  double longest = 0;
  for (const Json& row : run.results) {
    longest = std::max(longest, NumberOf(row, "virtual_seconds"));
  }
  std::vector<stencil::TimeSplit> splits;
  for (const Json& row : run.results) {
    if (TextOf(row, "algorithm") != algorithm) continue;
    splits.push_back({.name = TextOf(row, "nodes") + " nodes",
                      .seconds = NumberOf(row, "virtual_seconds"),
                      .compute_seconds = NumberOf(row, "compute_seconds"),
                      .preload_seconds = NumberOf(row, "preload_seconds"),
                      .fault_seconds = NumberOf(row, "fault_seconds"),
                      .barrier_seconds = NumberOf(row, "barrier_seconds")});
  }
  const std::string title = Title(run.results.front(), algorithm + ", parts of the time");
  return "<figure>" + SplitPlot(title, splits, "virtual seconds", longest) + "</figure>\n";
}

std::string AllRows(const Run& run) {
  using Kind = HtmlColumn::Kind;
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : run.results) {
    cells.push_back({TextOf(row, "algorithm"), TextOf(row, "nodes"), TextOf(row, "threads"),
                     TextOf(row, "page_bytes"), Fixed(SpeedOf(row), 1),
                     TextOf(row, "virtual_seconds"), TextOf(row, "compute_seconds"),
                     TextOf(row, "preload_seconds"), TextOf(row, "fault_seconds"),
                     TextOf(row, "barrier_seconds"), TextOf(row, "exchanges"),
                     TextOf(row, "faults"), TextOf(row, "pages_fetched")});
  }
  return HtmlTable({{"algorithm", Kind::kWord},
                    {"nodes", Kind::kNumber},
                    {"threads", Kind::kNumber},
                    {"bytes a page", Kind::kNumber},
                    {"Gupdates/s", Kind::kNumber},
                    {"virtual seconds", Kind::kNumber},
                    {"compute", Kind::kNumber},
                    {"preload", Kind::kNumber},
                    {"fault", Kind::kNumber},
                    {"barrier", Kind::kNumber},
                    {"exchanges", Kind::kNumber},
                    {"faults", Kind::kNumber},
                    {"pages", Kind::kNumber}},
                   cells);
}

// "assumed_latency_us" is "latency_us".
std::string Assumptions(const Run& run) {
  const std::string prefix = "assumed_";
  std::vector<std::vector<std::string>> cells;
  for (const auto& [key, value] : run.parameters.items()) {
    if (!key.starts_with(prefix)) continue;
    cells.push_back({key.substr(prefix.size()), BriefOf(run.parameters, key)});
  }
  return Paragraph(
             "Assumptions; what each is and where it comes from is in apps/stencil's README:") +
         HtmlTable({{"of a node", HtmlColumn::Kind::kWord}, {"value", HtmlColumn::Kind::kNumber}},
                   cells);
}

}  // namespace

Section SimulatedStencilPart(const std::vector<Run>& runs) {
  Section section{
      .id = "stencil-simulated", .title = "", .summary = "", .html = "", .headlines = {}};
  const Json* best = nullptr;
  for (const Run& run : runs) {
    section.html += Heading(TextOf(run.results.front(), "points") +
                            " points on simulated nodes (the paper's figures 8 to 10)");
    section.html += Paragraph(
        "No node of these exists: what is fetched, from whom and when is decided by the library's "
        "own protocol, points are not computed, and time is virtual. The parts of a time are the "
        "mean of all nodes.");
    section.html += TimeByNodes(run) + Assumptions(run);
    for (const std::string& algorithm : Values(RowsOf(run), "algorithm")) {
      section.html += Split(run, algorithm);
    }
    section.html += AllRows(run);
    if (!CommandOf(run).empty()) section.html += Reproduce(CommandOf(run));
    for (const Json& row : run.results) {
      if (best == nullptr || SpeedOf(row) > SpeedOf(*best)) best = &row;
    }
  }
  section.headlines.push_back({Fixed(SpeedOf(*best), 0) + " Gupdates/s",
                               "stencil, simulated: " + TextOf(*best, "algorithm") + ", " +
                                   TextOf(*best, "nodes") + " nodes"});
  return section;
}

}  // namespace report
