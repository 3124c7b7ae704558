#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"

namespace report {
namespace {

constexpr std::size_t kMostLines = 8;  // that a plot tells apart
constexpr Format kMicros = {.digits = 3, .scale = 1e-3};
constexpr Format kMillions = {.digits = 3, .scale = 1e-6};
constexpr Format kGigabytes = {.digits = 3, .scale = 1e-9};

bool IsCollective(const Json& row) { return row.contains("collective"); }
bool IsSimulated(const Json& row) { return row.contains("simulated"); }

std::vector<Json> RowsThat(const std::vector<Run>& runs,
                           const std::function<bool(const Json&)>& wanted) {
  std::vector<Json> rows;
  for (const Run& run : runs) {
    for (const Json& row : run.results) {
      if (wanted(row)) rows.push_back(row);
    }
  }
  return rows;
}

// "ofi"; "mixed".
std::string NetworkOf(const Json& row) {
  return TextOf(row, IsSimulated(row) ? "network" : "conduit");
}

// "mixed, offload, beyond"; "smp, allreduce".
std::string SeriesOf(const Json& row) {
  if (IsCollective(row)) return NetworkOf(row) + ", " + TextOf(row, "collective");
  const std::string way = TextOf(row, "way");
  return NetworkOf(row) + ", " + TextOf(row, "offload") + (way.empty() ? "" : ", " + way);
}

// `key`_low and `key`_high.
std::optional<program::Whisker> ConfidenceOf(const Json& row, const std::string& key,
                                             double scale) {
  if (!row.contains(key + "_low")) return std::nullopt;
  return program::Whisker{NumberOf(row, key + "_low") * scale,
                          NumberOf(row, key + "_high") * scale};
}

// One plot of all lines, or one for each network where they are too many.
std::string Plots(const program::LinePlot& all, const std::vector<std::string>& networks) {
  if (all.lines.size() <= kMostLines) return "<figure>" + ToSvg(all) + "</figure>\n";
  std::string html;
  for (const std::string& network : networks) {
    program::LinePlot plot = all;
    plot.title += ", " + network;
    std::erase_if(plot.lines,
                  [&](const program::Line& line) { return !line.name.starts_with(network + ","); });
    html += "<figure>" + ToSvg(plot) + "</figure>\n";
  }
  return html;
}

std::vector<std::string> NetworksOf(const std::vector<Json>& rows) {
  std::vector<std::string> networks;
  for (const Json& row : rows) {
    if (std::find(networks.begin(), networks.end(), NetworkOf(row)) == networks.end()) {
      networks.push_back(NetworkOf(row));
    }
  }
  return networks;
}

void AddPoint(program::LinePlot& plot, const Json& row, program::Point point) {
  const std::string name = SeriesOf(row);
  auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                           [&](const program::Line& each) { return each.name == name; });
  if (line == plot.lines.end()) line = plot.lines.insert(line, {.name = name, .points = {}});
  point.quality = QualityOf(row);
  line->points.push_back(point);
}

std::string Latencies(const std::vector<Json>& rows) {
  std::string html;
  for (const std::string& bytes : Values(rows, "bytes")) {
    program::LinePlot plot = {.title = "Latency of a read of " + bytes + " bytes" +
                                       (IsSimulated(rows.front()) ? ", simulated" : ""),
                              .x_label = "threads",
                              .y_label = "µs",
                              .lines = {},
                              .whiskers = "95 % confidence of the median"};
    for (const Json& row : rows) {
      if (TextOf(row, "bytes") != bytes) continue;
      AddPoint(plot, row,
               {.x = NumberOf(row, "threads"),
                .y = NumberOf(row, "latency_ns") * 1e-3,
                .whisker = ConfidenceOf(row, "latency_ns", 1e-3)});
    }
    html += Plots(plot, NetworksOf(rows));
  }
  return html;
}

std::string Reads(const std::vector<Json>& rows) {
  using Kind = HtmlColumn::Kind;
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    cells.push_back({NetworkOf(row), TextOf(row, "way"), TextOf(row, "offload"),
                     TextOf(row, "bytes"), TextOf(row, "threads"),
                     FigureOf(row, "latency_ns", kMicros), FigureOf(row, "overhead_ns", kMicros),
                     FigureOf(row, "messages_per_s", kMillions)});
  }
  return HtmlTable({{"network", Kind::kWord},
                    {"other rank", Kind::kWord},
                    {"offload", Kind::kWord},
                    {"bytes", Kind::kNumber},
                    {"threads", Kind::kNumber},
                    {"latency µs", Kind::kNumber},
                    {"overhead µs", Kind::kNumber},
                    {"million messages / s", Kind::kNumber}},
                   cells, FootnoteOf(rows));
}

std::string Collectives(const std::vector<Json>& rows) {
  program::LinePlot plot = {
      .title = "Collective operations of " + TextOf(rows.front(), "ranks") + " ranks",
      .x_label = "bytes of a rank's block",
      .y_label = "GB / s",
      .x_scale = program::Scale::kLog2,
      .lines = {}};
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    const bool has_bytes = NumberOf(row, "bytes") > 0;
    if (has_bytes) {
      AddPoint(plot, row, {.x = NumberOf(row, "bytes"), .y = NumberOf(row, "bytes_per_s") * 1e-9});
    }
    cells.push_back({NetworkOf(row), TextOf(row, "collective"), TextOf(row, "ranks"),
                     TextOf(row, "bytes"), FigureOf(row, "latency_ns", kMicros),
                     has_bytes ? FigureOf(row, "bytes_per_s", kGigabytes) : ""});
  }
  using Kind = HtmlColumn::Kind;
  return (plot.lines.empty() ? "" : Plots(plot, NetworksOf(rows))) +
         HtmlTable({{"network", Kind::kWord},
                    {"collective", Kind::kWord},
                    {"ranks", Kind::kNumber},
                    {"bytes", Kind::kNumber},
                    {"latency µs", Kind::kNumber},
                    {"GB / s", Kind::kNumber}},
                   cells, FootnoteOf(rows));
}

}  // namespace

absl::StatusOr<Section> RmaPart(const std::vector<Run>& runs) {
  Section section{.id = "rma",
                  .title = "rma: reads of another process's memory",
                  .summary =
                      "How long a read of another process's memory takes, how long its "
                      "caller is held up, and how many go through, by threads and "
                      "offloading; on this machine and on the paper's interconnects.",
                  .html = "",
                  .headlines = {}};
  const auto real = [](const Json& row) { return !IsCollective(row) && !IsSimulated(row); };
  if (const auto rows = RowsThat(runs, real); !rows.empty()) {
    section.html += Heading("Reads by threads (the paper's figures 2 to 7)");
    if (std::any_of(rows.begin(), rows.end(),
                    [](const Json& row) { return row.contains("way"); })) {
      section.html += Paragraph(
          "With the network mixed the other rank is inside the host, by shared memory, or beyond "
          "it, by TCP.");
    }
    section.html += Latencies(rows) + Reads(rows);
  }
  if (const auto rows = RowsThat(runs, IsSimulated); !rows.empty()) {
    section.html += Heading("The same on the paper's interconnects, simulated");
    section.html += Latencies(rows) + Reads(rows);
  }
  if (const auto rows = RowsThat(runs, IsCollective); !rows.empty()) {
    section.html += Heading("Collective operations by size") + Collectives(rows);
  }
  section.html += Reproduce(CommandsOf(runs));
  return section;
}

}  // namespace report
