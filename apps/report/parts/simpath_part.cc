#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"
#include "apps/report/rows/seconds.h"

namespace report {
namespace {

using program::Fixed;
using Rows = std::vector<Json>;

constexpr Format kSeconds = {.digits = 3};

// Those of a forecast have no count and are left out.
Rows CountsOf(const std::vector<Run>& runs) {
  Rows rows;
  for (const Run& run : runs) {
    for (const Json& row : run.results) {
      if (row.contains("count")) rows.push_back(row);
    }
  }
  return rows;
}

// Of "grid 11x11" 11; 0 of a graph that is no grid.
int CellsOf(const std::string& graph) {
  return graph.starts_with("grid ") ? std::atoi(graph.c_str() + 5) : 0;
}

// Digits of long counts would fill the page: "182413291514… (30 digits)".
std::string Shortened(const std::string& count) {
  constexpr std::size_t kWhole = 20, kFirst = 12;
  if (count.size() <= kWhole) return count;
  return count.substr(0, kFirst) + "… (" + std::to_string(count.size()) + " digits)";
}

// One thread of mode sequential has no policy.
std::string PlaceOf(const Json& row) {
  return TextOf(row, "mode") == "sequential"
             ? "sequential"
             : TextOf(row, "mode") + ", " + TextOf(row, "policy") + ", " + ThreadsOf(row);
}

// The largest grid; of graphs that are no grids the first.
std::string LargestOf(const Rows& rows) {
  std::string largest;
  for (const std::string& graph : Values(rows, "graph")) {
    if (largest.empty() || CellsOf(graph) > CellsOf(largest)) largest = graph;
  }
  return largest;
}

// Of those that were counted by the most numbers of threads, the largest.
std::string MostThreadCountsOf(const Rows& rows) {
  std::size_t most = 0;
  Rows candidates;
  for (const std::string& graph : Values(rows, "graph")) {
    const Rows of_graph = RowsWhere(rows, "graph", graph);
    const std::size_t counts = Values(of_graph, "threads").size();
    if (counts < most) continue;
    if (counts > most) candidates.clear();
    most = counts;
    candidates.insert(candidates.end(), of_graph.begin(), of_graph.end());
  }
  return LargestOf(candidates);
}

// The paper's figure 12.
std::string Figure12(const Rows& eba) {
  const std::string graph = MostThreadCountsOf(eba);
  return Heading("Seconds by threads and policy, " + graph + " (the paper's figure 12)") +
         LinesBy(
             "policy",
             {.title = "Mode eba: seconds by threads and affinity policy",
              .x_label = "threads",
              .y_label = "seconds",
              .x_scale = program::Scale::kLog2,
              .lines = {}},
             RowsWhere(eba, "graph", graph),
             [](const Json& row) { return NumberOf(row, "threads"); }, "s", kSeconds);
}

// The paper's figure 13; nothing where there are not several grids.
std::string Figure13(const Rows& eba) {
  Rows grids;
  for (const Json& row : eba) {
    if (CellsOf(TextOf(row, "graph")) > 0) grids.push_back(row);
  }
  if (grids.empty()) return "";
  grids = RowsWhere(grids, "threads", MostThreadsOf(grids));
  if (Values(grids, "graph").size() < 2) return "";
  const std::string threads = ThreadsOf(grids.front());
  return Heading("Seconds by grid and policy, " + threads + " (the paper's figure 13)") +
         LinesBy(
             "policy",
             {.title = "Mode eba: seconds by grid and affinity policy",
              .x_label = "cells a side",
              .y_label = "seconds",
              .lines = {}},
             grids, [](const Json& row) { return double(CellsOf(TextOf(row, "graph"))); }, "s",
             kSeconds);
}

std::string AllRows(const Rows& rows) {
  using Kind = HtmlColumn::Kind;
  const std::vector<HtmlColumn> columns = {{"graph", Kind::kWord},
                                           {"mode", Kind::kWord},
                                           {"order", Kind::kWord},
                                           {"policy", Kind::kWord},
                                           {"threads", Kind::kNumber},
                                           {"seconds", Kind::kNumber},
                                           {"widest frontier"},
                                           {"memory MB"},
                                           {"simple paths"}};
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    cells.push_back(
        {TextOf(row, "graph"), TextOf(row, "mode"), TextOf(row, "order"), TextOf(row, "policy"),
         TextOf(row, "threads"), FigureOf(row, "seconds", kSeconds), TextOf(row, "max_width"),
         Fixed(NumberOf(row, "max_rss_bytes") / 1e6, 0), Shortened(TextOf(row, "count"))});
  }
  return HtmlTable(columns, cells,
                   "Memory is the most that the process had taken until then: later rows have at "
                   "least that of earlier ones.");
}

// What figure 12 shows, of the graph that it is of.
std::string PoliciesInWords(const Rows& eba) {
  const Rows rows = RowsWhere(eba, "graph", MostThreadCountsOf(eba));
  const Json best = *FastestOf(rows);
  std::string words = "On " + TextOf(best, "graph") + " eba is fastest with " + ThreadsOf(best) +
                      " by policy " + TextOf(best, "policy") + ": " +
                      FigureOf(best, "seconds", kSeconds) + " s";
  const std::optional<Json> one = FastestOf(RowsWhere(rows, "threads", "1"));
  const std::optional<Json> most = FastestOf(RowsWhere(rows, "threads", MostThreadsOf(rows)));
  if (one && ThreadsOf(*one) != ThreadsOf(*most)) {
    words += "; the best time of one thread is " +
             Fixed(NumberOf(*one, "seconds") / NumberOf(*most, "seconds"), 2) + " × that of " +
             ThreadsOf(*most);
  }
  return words + ". ";
}

// The modes beside each other on the largest graph that has several.
std::string ModesInWords(const Rows& rows) {
  Rows several;
  for (const std::string& graph : Values(rows, "graph")) {
    const Rows of_graph = RowsWhere(rows, "graph", graph);
    if (Values(of_graph, "mode").size() > 1) {
      several.insert(several.end(), of_graph.begin(), of_graph.end());
    }
  }
  if (several.empty()) return "";
  const Rows of_graph = RowsWhere(several, "graph", LargestOf(several));
  std::vector<std::string> times;
  for (const std::string& mode : Values(of_graph, "mode")) {
    const Json fastest = *FastestOf(RowsWhere(of_graph, "mode", mode));
    times.push_back(mode + " in " + FigureOf(fastest, "seconds", kSeconds) + " s");
  }
  return "The fastest rows of each mode count " + TextOf(of_graph.front(), "graph") + ": " +
         Listed(times) + ". ";
}

std::vector<Headline> HeadlinesOf(const Rows& rows) {
  const Json best = *FastestOf(RowsWhere(rows, "graph", LargestOf(rows)));
  return {{FigureOf(best, "seconds", kSeconds) + " s",
           "for all " + Shortened(TextOf(best, "count")) + " simple paths of " +
               TextOf(best, "graph") + ": " + PlaceOf(best),
           "measured once"}};
}

}  // namespace

absl::StatusOr<Section> SimpathPart(const std::vector<Run>& runs) {
  const Rows rows = CountsOf(runs);
  if (rows.empty()) return absl::InvalidArgumentError(runs[0].path + ": expected a count");
  const Rows eba = RowsWhere(rows, "mode", "eba");
  Section section{.id = "simpath",
                  .title = "simpath: exact counts of simple paths",
                  .summary =
                      "Paths from corner to corner that visit no vertex twice, counted edge by "
                      "edge and by arrays: see what threads and affinity policies bring to the "
                      "paper's edge-based approach (eba), and what other methods take.",
                  .html = "",
                  .headlines = HeadlinesOf(rows)};
  section.html +=
      Paragraph((eba.empty() ? "" : PoliciesInWords(eba)) + ModesInWords(rows) +
                "Each row was measured once, on " + TextOf(runs[0].machine, "topology") +
                "; rows of one graph have the same count.");
  if (!eba.empty()) section.html += Figure12(eba) + Figure13(eba);
  section.html += Heading("All rows");
  section.html += AllRows(rows);
  section.html += Reproduce(CommandsOf(runs));
  return section;
}

}  // namespace report
