#include <algorithm>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"

namespace report {
namespace {

using program::Fixed;

constexpr Format kGigateps = {.digits = 2, .scale = 1e-9};
constexpr Format kMilliseconds = {.digits = 3, .scale = 1e3};

std::vector<Json> RowsOf(const std::vector<Run>& runs) {
  std::vector<Json> rows;
  for (const Run& run : runs) rows.insert(rows.end(), run.results.begin(), run.results.end());
  return rows;
}

// "scale 20", or the file's name.
std::string GraphOf(const Json& row) {
  return row.contains("scale") && row["scale"].is_number() ? "scale " + TextOf(row, "scale")
                                                           : TextOf(row, "graph");
}

std::string SearchOf(const Json& row) {
  return TextOf(row, "variant") + (TextOf(row, "labels") == "internal" ? ", internal labels" : "");
}

// The plain row of the same graph, policy and threads; null where there is none.
const Json* PlainOf(const std::vector<Json>& rows, const Json& row) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Json& each) {
    return TextOf(each, "variant") == "plain" && GraphOf(each) == GraphOf(row) &&
           TextOf(each, "policy") == TextOf(row, "policy") &&
           TextOf(each, "threads") == TextOf(row, "threads");
  });
  return found == rows.end() ? nullptr : &*found;
}

// The paper's figure 9.
std::string Figure9(const std::vector<Json>& rows) {
  program::LinePlot plot = {.title = "Breadth-first search by threads and affinity policy",
                            .x_label = "threads",
                            .y_label = "GTEPS, median of the keys",
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  std::set<std::string> graphs;
  for (const Json& row : rows) graphs.insert(GraphOf(row));
  for (const Json& row : rows) {
    const std::string name = TextOf(row, "policy") + " (" + SearchOf(row) +
                             (graphs.size() > 1 ? ", " + GraphOf(row) : "") + ")";
    auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                             [&](const program::Line& each) { return each.name == name; });
    if (line == plot.lines.end()) line = plot.lines.insert(line, {.name = name, .points = {}});
    line->points.push_back({NumberOf(row, "threads"), NumberOf(row, "teps_median") * 1e-9,
                            WhiskerOf(row, "teps_median", 1e-9), QualityOf(row)});
  }
  return Heading("Rate by threads and policy (the paper's figure 9)") + "<figure>" + ToSvg(plot) +
         "</figure>\n";
}

std::string AllRows(const std::vector<Json>& rows) {
  using Kind = HtmlColumn::Kind;
  const std::vector<HtmlColumn> columns = {
      {"graph", Kind::kWord},          {"search", Kind::kWord},
      {"policy", Kind::kWord},         {"threads", Kind::kNumber},
      {"median ms", Kind::kNumber},    {"quartiles", Kind::kNumber},
      {"GTEPS", Kind::kNumber},        {"harmonic mean", Kind::kNumber},
      {"keys", Kind::kNumber},         {"construction s", Kind::kNumber},
      {"bytes a tuple", Kind::kNumber}};
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    cells.push_back({GraphOf(row), SearchOf(row), TextOf(row, "policy"), TextOf(row, "threads"),
                     FigureOf(row, "seconds_median", kMilliseconds),
                     QuartilesOf(row, "seconds_median", kMilliseconds),
                     FigureOf(row, "teps_median", kGigateps),
                     FigureOf(row, "teps_harmonic_mean", kGigateps), TextOf(row, "keys"),
                     Fixed(NumberOf(row, "construction_seconds"), 2),
                     Fixed(NumberOf(row, "bytes_per_tuple"), 1)});
  }
  return HtmlTable(columns, cells, FootnoteOf(rows));
}

std::vector<Headline> HeadlinesOf(const std::vector<Json>& rows) {
  std::vector<Json> fast;
  for (const Json& row : rows) {
    if (TextOf(row, "variant") == "fast" && TextOf(row, "labels") == "original") {
      fast.push_back(row);
    }
  }
  const Json* const best = BestOf(fast.empty() ? rows : fast, "teps_harmonic_mean");
  const std::string where = TextOf(*best, "policy") + ", " + TextOf(*best, "threads") +
                            (TextOf(*best, "threads") == "1" ? " thread" : " threads");
  std::vector<Headline> headlines = {
      {FigureOf(*best, "teps_harmonic_mean", kGigateps) + " GTEPS",
       "Graph500's breadth-first search, " + GraphOf(*best) + ": " + where,
       "keys: " + SpreadInWords(*best, "teps_median", kGigateps)}};
  if (const Json* const plain = PlainOf(rows, *best); plain != nullptr && plain != best) {
    headlines.push_back(
        {Fixed(NumberOf(*plain, "seconds_median") / NumberOf(*best, "seconds_median"), 1) + " ×",
         "of the hybrid search as its papers state it, by the medians of both", ""});
  }
  return headlines;
}

}  // namespace

absl::StatusOr<Section> BfsPart(const std::vector<Run>& runs) {
  const std::vector<Json> rows = RowsOf(runs);
  if (rows.empty()) return absl::InvalidArgumentError(runs[0].path + ": expected a result");
  Section section{.id = "bfs",
                  .title = "bfs: breadth-first search",
                  .summary =
                      "Graph500's searches by threads and affinity policy, each answer validated: "
                      "see what it brings to lay hubs first and near their threads.",
                  .html = "",
                  .headlines = HeadlinesOf(rows)};
  section.html += Paragraph(
      "TEPS count the tuples of the component that a search reaches, repeated ones too, and the "
      "time until each vertex has its parent in the tuples' labels. Quartiles are those of the "
      "keys, which lie at different depths of the graph.");
  section.html += Figure9(rows);
  section.html += Heading("All rows");
  section.html += AllRows(rows);
  section.html += Reproduce(CommandsOf(runs));
  return section;
}

}  // namespace report
