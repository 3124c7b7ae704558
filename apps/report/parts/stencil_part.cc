#include <algorithm>
#include <string>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"
#include "apps/stencil/run/split_plot.h"

namespace report {
namespace {

using program::Fixed;

constexpr double kMillions = 1e-6;
constexpr Format kSpeed = {.digits = 1, .scale = kMillions};

double SpeedOf(const Json& row) { return NumberOf(row, "updates_per_s") * kMillions; }

std::vector<Json> RowsOfPoints(const std::vector<Run>& runs, const std::string& points) {
  std::vector<Json> rows;
  for (const Run& run : runs) {
    for (const Json& row : run.results) {
      if (TextOf(row, "points") == points) rows.push_back(row);
    }
  }
  return rows;
}

std::string RanksOf(const Json& row) {
  return TextOf(row, "ranks") + (NumberOf(row, "ranks") == 1 ? " rank" : " ranks");
}

// The paper's figures 8 and 9, (c) and (d), for one run: its rows are of the same machine at the
// same moment.
std::string Split(const Run& run, const std::string& points) {
  const bool sweeps = Values({run.results.begin(), run.results.end()}, "threads").size() > 1;
  std::vector<stencil::TimeSplit> splits;
  std::string title;
  for (const Json& row : run.results) {
    if (TextOf(row, "points") != points) continue;
    title = points + "-point stencil, " + RanksOf(row) + ": parts of the time";
    const std::string page = TextOf(row, "page_bytes");
    if (!page.empty()) title += ", pages of " + page + " bytes";
    splits.push_back({TextOf(row, "algorithm") + (sweeps ? ", " + TextOf(row, "threads") : ""),
                      NumberOf(row, "seconds"), NumberOf(row, "compute_seconds"),
                      NumberOf(row, "preload_seconds"), 0, NumberOf(row, "barrier_seconds")});
  }
  return splits.empty() ? "" : "<figure>" + SplitPlot(title, splits, "seconds") + "</figure>\n";
}

// Speed by what was swept: a line an algorithm. Where the other of the two was swept as well, the
// fastest counts, of those that were not disturbed if there are any.
std::string Sweep(const std::vector<Json>& rows, const std::string& key, const std::string& label) {
  program::LinePlot plot = {.title = TextOf(rows.front(), "points") + "-point stencil, " +
                                     RanksOf(rows.front()) + ": speed by " + label,
                            .x_label = label,
                            .y_label = "Mupdates/s",
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  for (const std::string& algorithm : Values(rows, "algorithm")) {
    program::Line line = {.name = algorithm, .points = {}};
    for (const Json& row : rows) {
      const double x = NumberOf(row, key);
      if (TextOf(row, "algorithm") != algorithm || x <= 0) continue;
      const auto same = std::find_if(line.points.begin(), line.points.end(),
                                     [&](const program::Point& point) { return point.x == x; });
      const program::Point point = {x, SpeedOf(row), WhiskerOf(row, "updates_per_s", kMillions),
                                    QualityOf(row)};
      if (same == line.points.end()) {
        line.points.push_back(point);
      } else if (std::pair(point.quality != program::Quality::kDisturbed, point.y) >
                 std::pair(same->quality != program::Quality::kDisturbed, same->y)) {
        *same = point;
      }
    }
    std::sort(line.points.begin(), line.points.end(),
              [](const program::Point& a, const program::Point& b) { return a.x < b.x; });
    if (!line.points.empty()) plot.lines.push_back(std::move(line));
  }
  return "<figure>" + ToSvg(plot) + "</figure>\n";
}

std::string AllRows(const std::vector<Json>& rows) {
  using Kind = HtmlColumn::Kind;
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    cells.push_back({TextOf(row, "algorithm"), TextOf(row, "ranks"), TextOf(row, "threads"),
                     TextOf(row, "page_bytes"), FigureOf(row, "updates_per_s", kSpeed),
                     QuartilesOf(row, "updates_per_s", kSpeed),
                     FigureOf(row, "ratio_to_a1p", {.digits = 2}),
                     QuartilesOf(row, "ratio_to_a1p", {.digits = 2}), TextOf(row, "seconds"),
                     TextOf(row, "compute_seconds"), TextOf(row, "preload_seconds"),
                     TextOf(row, "barrier_seconds"), TextOf(row, "exchanges"),
                     TextOf(row, "faults"), TextOf(row, "pages_fetched")});
  }
  return HtmlTable({{"algorithm", Kind::kWord},
                    {"ranks", Kind::kNumber},
                    {"threads", Kind::kNumber},
                    {"bytes a page", Kind::kNumber},
                    {"Mupdates/s", Kind::kNumber},
                    {"quartiles", Kind::kNumber},
                    {"÷ A1p", Kind::kNumber},
                    {"its quartiles", Kind::kNumber},
                    {"seconds", Kind::kNumber},
                    {"compute", Kind::kNumber},
                    {"preload", Kind::kNumber},
                    {"barrier", Kind::kNumber},
                    {"exchanges", Kind::kNumber},
                    {"faults", Kind::kNumber},
                    {"pages", Kind::kNumber}},
                   cells, FootnoteOf(rows));
}

// The fastest, and what it gains over a step at a time in the same run.
std::vector<Headline> Headlines(const std::vector<Run>& runs) {
  std::vector<Json> rows;
  for (const Run& run : runs) rows.insert(rows.end(), run.results.begin(), run.results.end());
  const Json& best = *BestOf(rows, "updates_per_s");
  const std::string where = TextOf(best, "algorithm") + ", " + TextOf(best, "points") +
                            " points, " + RanksOf(best) + " of " + TextOf(best, "threads") +
                            (TextOf(best, "threads") == "1" ? " thread" : " threads");
  const Format whole = {.digits = 0, .scale = kMillions}, ratio = {.digits = 2};
  std::vector<Headline> headlines = {{FigureOf(best, "updates_per_s", whole) + " Mupdates/s",
                                      "stencil on distributed shared memory: " + where,
                                      SpreadInWords(best, "updates_per_s", whole)}};
  if (TextOf(best, "algorithm") != "A1p" && best.contains("ratio_to_a1p")) {
    headlines.push_back({FigureOf(best, "ratio_to_a1p", ratio) + " ×",
                         "of a step at a time (A1p): " + where + " (goal 1.5)",
                         SpreadInWords(best, "ratio_to_a1p", ratio)});
  }
  return headlines;
}

}  // namespace

absl::StatusOr<Section> StencilPart(const std::vector<Run>& all) {
  std::vector<Run> runs, simulated;
  for (const Run& run : all) {
    if (run.results.empty() || NumberOf(run.results.front(), "updates_per_s") <= 0) {
      return absl::InvalidArgumentError(run.path + ": expected results with updates_per_s");
    }
    // Measured and virtual times have plots and tables of their own.
    (run.results.front().contains("simulated") ? simulated : runs).push_back(run);
  }
  Section section{.id = "stencil",
                  .title = "stencil: several processes, one memory",
                  .summary =
                      "A grid in the memory of several processes, in which only the planes "
                      "between slabs move: see what preloading and blocking of time gain.",
                  .html = "",
                  .headlines = runs.empty() ? std::vector<Headline>() : Headlines(runs)};
  section.html += Paragraph(
      "A three-dimensional grid in distributed shared memory, a slab for each rank. A1 goes a step "
      "at a time; A2 some steps at once, redundantly where slabs meet; A3 the same in two phases "
      "without redundancy. With p neighbors' pages come by preload, with o by preload while the "
      "rest is "
      "computed, else by faults; with l those of lightweight threads, of which others run "
      "meanwhile.");
  for (const std::string points : {"7", "27"}) {
    const std::vector<Json> rows = RowsOfPoints(runs, points);
    if (rows.empty()) continue;
    section.html += Heading(points + " points: parts of the time (the paper's figures 8 and 9)");
    for (const Run& run : runs) section.html += Split(run, points);
    if (Values(rows, "threads").size() > 1) {
      section.html += Heading(points + " points: speed by threads (the paper's figure 7)");
      section.html += Sweep(rows, "threads", "threads of each rank");
    }
    if (Values(rows, "page_bytes").size() > 1) {
      section.html += Heading(points + " points: speed by page size");
      section.html += Sweep(rows, "page_bytes", "bytes a page");
    }
    section.html += AllRows(rows);
  }
  section.html += Reproduce(CommandsOf(runs));
  if (simulated.empty()) return section;
  const Section more = SimulatedStencilPart(simulated);
  section.html += more.html;
  section.headlines.insert(section.headlines.end(), more.headlines.begin(), more.headlines.end());
  return section;
}

}  // namespace report
