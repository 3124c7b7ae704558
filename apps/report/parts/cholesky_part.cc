#include <algorithm>
#include <set>
#include <string>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"

namespace report {
namespace {

using program::Fixed;

std::string SizeOf(const Json& row) { return TextOf(row, "n") + "/" + TextOf(row, "block"); }

double CopiesOf(const Json& row) {
  return NumberOf(row, "copies_h2d") + NumberOf(row, "copies_d2h") + NumberOf(row, "copies_d2d");
}

bool IsOptimized(const Json& row) { return TextOf(row, "optimized") != "false"; }

// "sim:2, not optimized": distinguishes this row's line from other rows'.
std::string LineOf(const Json& row, const std::vector<Json>& rows) {
  std::string name = TextOf(row, "devices");
  if (!IsOptimized(row)) name += ", not optimized";
  for (const char* key : {"offload", "scheduler", "source"}) {
    if (Values(rows, key).size() > 1) name += ", " + TextOf(row, key);
  }
  return name;
}

std::string AllRows(const std::vector<Json>& rows, bool is_simulated) {
  using Kind = HtmlColumn::Kind;
  // What a narrow page shows without scrolling comes first.
  std::vector<HtmlColumn> columns = {{"n", Kind::kNumber},
                                     {"block", Kind::kNumber},
                                     {"devices", Kind::kWord},
                                     {"threads", Kind::kNumber},
                                     {"GFLOP/s", Kind::kNumber}};
  columns.push_back(is_simulated ? HtmlColumn{"free", Kind::kWord}
                                 : HtmlColumn{"quartiles", Kind::kNumber});
  for (const HtmlColumn& column :
       {HtmlColumn{is_simulated ? "virtual seconds" : "seconds", Kind::kNumber},
        HtmlColumn{"all copies", Kind::kNumber}, HtmlColumn{"the least", Kind::kNumber},
        HtmlColumn{"to devices", Kind::kNumber}, HtmlColumn{"to the host", Kind::kNumber},
        HtmlColumn{"across", Kind::kNumber}, HtmlColumn{"copies", Kind::kWord},
        HtmlColumn{"on devices", Kind::kWord}, HtmlColumn{"scheduler", Kind::kWord},
        HtmlColumn{"source", Kind::kWord}}) {
    columns.push_back(column);
  }
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    cells.push_back({TextOf(row, "n"), TextOf(row, "block"), TextOf(row, "devices"),
                     TextOf(row, "threads"), FigureOf(row, "gflop_per_s", {}),
                     is_simulated ? TextOf(row, "sim_free") : QuartilesOf(row, "gflop_per_s", {}),
                     TextOf(row, is_simulated ? "virtual_seconds" : "seconds"),
                     Fixed(CopiesOf(row), 0), TextOf(row, "copies_minimum"),
                     TextOf(row, "copies_h2d"), TextOf(row, "copies_d2h"),
                     TextOf(row, "copies_d2d"), IsOptimized(row) ? "optimized" : "each task's",
                     TextOf(row, "offload"), TextOf(row, "scheduler"), TextOf(row, "source")});
  }
  return HtmlTable(columns, cells, FootnoteOf(rows));
}

std::string Title(const Json& row, const std::string& what) {
  return "n = " + TextOf(row, "n") + " in blocks of " + TextOf(row, "block") +
         ", simulated: " + what;
}

// The paper's figures 8 and 9, of one size: a line for what was run with several numbers of
// threads.
std::string ByThreads(const std::vector<Json>& rows) {
  program::LinePlot plot = {.title = Title(rows.front(), "speed by threads of the host"),
                            .x_label = "virtual threads",
                            .y_label = "GFLOP/s",
                            .lines = {}};
  for (const Json& row : rows) {
    if (TextOf(row, "sim_free") != "none") continue;
    const std::string name = LineOf(row, rows);
    auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                             [&](const program::Line& other) { return other.name == name; });
    if (line == plot.lines.end()) line = plot.lines.insert(line, {.name = name, .points = {}});
    const program::Point point = {NumberOf(row, "threads"), NumberOf(row, "gflop_per_s")};
    const bool is_new = std::none_of(line->points.begin(), line->points.end(),
                                     [&](const program::Point& p) { return p.x == point.x; });
    if (is_new) line->points.push_back(point);
  }
  std::erase_if(plot.lines, [](const program::Line& line) { return line.points.size() < 2; });
  if (plot.lines.empty()) return "";
  for (program::Line& line : plot.lines) {
    std::sort(line.points.begin(), line.points.end(),
              [](const program::Point& a, const program::Point& b) { return a.x < b.x; });
  }
  return Heading("Speed by threads (the paper's figures 8 and 9)") + "<figure>" + ToSvg(plot) +
         "</figure>\n";
}

// Figures 13 to 18, of one size: what copies and allocations cost, with the most threads.
std::string ByWhatIsFree(const std::vector<Json>& rows) {
  const std::vector<std::string> frees = Values(rows, "sim_free");
  if (frees.size() < 2) return "";
  double threads = 0;
  for (const Json& row : rows) threads = std::max(threads, NumberOf(row, "threads"));
  program::BarPlot plot = {.title = Title(rows.front(), "what is free"),
                           .x_label = "devices",
                           .y_label = "TFLOP/s",
                           .groups = {},
                           .bars = {}};
  for (const std::string& free : frees)
    plot.bars.push_back({.name = "free: " + free, .values = {}});
  std::vector<std::string> names;
  for (const Json& row : rows) {
    const std::string name = LineOf(row, rows);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    std::vector<double> speeds;  // as many as there are bars, where all of them were run
    for (const std::string& free : frees) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const Json& other) {
        return LineOf(other, rows) == name && TextOf(other, "sim_free") == free &&
               NumberOf(other, "threads") == threads;
      });
      if (row != rows.end()) speeds.push_back(NumberOf(*row, "gflop_per_s") / 1000);
    }
    if (speeds.size() < frees.size()) continue;
    plot.groups.push_back(name);
    for (std::size_t i = 0; i < frees.size(); ++i) plot.bars[i].values.push_back(speeds[i]);
  }
  if (plot.groups.empty()) return "";
  return Heading("What copies and allocations cost (the paper's figures 13 to 18)") + "<figure>" +
         ToSvg(plot) + "</figure>\n";
}

// "assumed_link_gb_per_s" is "link_gb_per_s".
std::string Assumptions(const std::vector<Json>& rows) {
  const std::string prefix = "assumed_";
  std::string text;
  for (const auto& [key, value] : rows.front().items()) {
    if (!key.starts_with(prefix)) continue;
    text += (text.empty() ? "" : ", ") + key.substr(prefix.size());
    std::string separator = " ";
    std::vector<std::string> values;
    for (const Json& row : rows) {
      const std::string brief = BriefOf(row, key);
      if (std::find(values.begin(), values.end(), brief) == values.end()) values.push_back(brief);
    }
    for (const std::string& one : values) {
      text += separator + one;
      separator = " or ";
    }
  }
  return Paragraph(
      "No such device exists: what is copied is decided as for a real one, and time is virtual. "
      "Assumed: " +
      text + ".");
}

std::vector<Headline> Headlines(const std::vector<Json>& measured,
                                const std::vector<Json>& simulated) {
  std::vector<Headline> headlines;
  if (const Json* const best = BestOf(measured, "gflop_per_s")) {
    headlines.push_back({FigureOf(*best, "gflop_per_s", {}) + " GFLOP/s",
                         "Cholesky factorization by tasks: n = " + TextOf(*best, "n") + ", " +
                             TextOf(*best, "precision") + ", " + TextOf(*best, "devices") + ", " +
                             TextOf(*best, "threads") + " threads",
                         SpreadInWords(*best, "gflop_per_s", {})});
  }
  for (const Json& plain : simulated) {
    if (IsOptimized(plain)) continue;
    for (const Json& row : simulated) {
      if (!IsOptimized(row) || SizeOf(row) != SizeOf(plain) ||
          TextOf(row, "devices") != TextOf(plain, "devices") || CopiesOf(row) == 0) {
        continue;
      }
      headlines.push_back(
          {Fixed(CopiesOf(plain) / CopiesOf(row), 1) + " ×",
           "fewer copies where only what is missing is copied: " + Fixed(CopiesOf(row), 0) +
               " for " + TextOf(row, "tasks") + " tasks (the paper's table 3)"});
      return headlines;
    }
  }
  return headlines;
}

}  // namespace

absl::StatusOr<Section> CholeskyPart(const std::vector<Run>& runs) {
  // Measured and virtual times have plots and tables of their own.
  std::vector<Json> measured, simulated;
  for (const Run& run : runs) {
    for (const Json& row : run.results) {
      if (!row.contains("copies_minimum")) {
        return absl::InvalidArgumentError(run.path + ": expected results with copies_minimum");
      }
      (row.contains("simulated") ? simulated : measured).push_back(row);
    }
  }
  Section section{.id = "cholesky",
                  .title = "cholesky: tasks that say what they read and write",
                  .summary =
                      "A factorization by tasks on the host and on simulated devices: see "
                      "that only what is missing is copied, and what copies cost.",
                  .html = "",
                  .headlines = Headlines(measured, simulated)};
  section.html += Paragraph(
      "A symmetric matrix in blocks is factorized by four kinds of tasks. The runtime copies what "
      "a "
      "task lacks where it runs, and nothing else; the least is what the places of the tasks need "
      "whatever the order.");
  if (!measured.empty()) {
    section.html += Heading("Measured on this machine") + AllRows(measured, false);
  }
  if (!simulated.empty()) {
    section.html += Heading("On simulated devices (the paper's tables 3 and 5)") +
                    Assumptions(simulated) + AllRows(simulated, true);
    std::set<std::string> sizes;
    for (const Json& row : simulated) sizes.insert(SizeOf(row));
    for (const std::string& size : sizes) {
      std::vector<Json> rows = simulated;
      std::erase_if(rows, [&](const Json& row) { return SizeOf(row) != size; });
      std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
        return TextOf(a, "devices") < TextOf(b, "devices");
      });
      section.html += ByThreads(rows) + ByWhatIsFree(rows);
    }
  }
  bool is_first = true;
  for (const Run& run : runs) {
    if (run.picture.empty()) continue;
    if (is_first) section.html += Heading("Who did what, and when (the paper's figures 11 and 12)");
    is_first = false;
    section.html += Picture(run.picture, "timeline of " + CommandOf(run));
  }
  section.html += Reproduce(CommandsOf(runs));
  return section;
}

}  // namespace report
