#include "apps/rma/run/collective_results.h"

#include <cmath>

#include "apps/program/plot.h"
#include "apps/program/spread.h"
#include "apps/program/table.h"
#include "apps/rma/run/interval.h"

namespace rma {
namespace {

using program::Fixed;
using program::Table;

bool IsDisturbed(const CollectiveRow& row) {
  return program::IsDisturbed(program::SpreadOf(row.latencies_ns));
}

double Rounded(double value) { return std::round(value * 10) / 10; }

// Of a rank's block.
double GigabytesPerS(const CollectiveRow& row, double latency_ns) {
  return static_cast<double>(row.point.bytes) / latency_ns;
}

std::string Micros(double ns) { return Fixed(ns / 1e3, ns < 1e4 ? 3 : 1); }

std::string LatencyOf(const CollectiveRow& row, const Interval& interval) {
  std::string text = Micros(interval.median);
  if (interval.confidence) {
    text +=
        " (" + Micros(interval.confidence->low) + " – " + Micros(interval.confidence->high) + ")";
  }
  return text + (IsDisturbed(row) ? std::string(program::kDagger) : "");
}

}  // namespace

program::Json ToJson(const CollectiveRow& row) {
  const Interval interval = IntervalOf(row.latencies_ns);
  program::Json json = {{"conduit", ToString(row.point.network)},
                        {"collective", ToString(row.point.collective)},
                        {"ranks", row.ranks},
                        {"bytes", row.point.bytes},
                        {"latency_ns", Rounded(interval.median)}};
  if (interval.confidence) {
    json["latency_ns_low"] = Rounded(interval.confidence->low);
    json["latency_ns_high"] = Rounded(interval.confidence->high);
  }
  if (row.point.bytes > 0) {
    json["bytes_per_s"] = std::round(GigabytesPerS(row, interval.median) * 1e9);
  }
  json["repetitions"] = row.latencies_ns.size();
  json["disturbed"] = IsDisturbed(row);
  return json;
}

std::string ToText(const std::vector<CollectiveRow>& rows, program::Color color) {
  if (rows.empty()) return "";
  Table table({{"network", Table::Align::kLeft},
               {"collective", Table::Align::kLeft},
               {"ranks"},
               {"bytes"},
               {"latency µs"},
               {"GB / s"}});
  bool disturbed = false;
  const CollectiveRow* before = nullptr;
  for (const CollectiveRow& row : rows) {
    if (before != nullptr && SeriesOf(before->point) != SeriesOf(row.point)) table.AddRule();
    before = &row;
    const Interval interval = IntervalOf(row.latencies_ns);
    table.AddRow({std::string(ToString(row.point.network)),
                  std::string(ToString(row.point.collective)), std::to_string(row.ranks),
                  std::to_string(row.point.bytes), LatencyOf(row, interval),
                  row.point.bytes == 0 ? "" : Fixed(GigabytesPerS(row, interval.median), 3)});
    disturbed = disturbed || IsDisturbed(row);
  }
  std::string text = "\n" + table.Render(color);
  text += "Operations of all ranks, one after the other; bytes are of a rank's block.\n";
  if (disturbed) text += std::string(program::kFootnote) + "\n";
  return text;
}

std::string ToSvg(const std::vector<CollectiveRow>& rows) {
  program::LinePlot plot = {.title = "Collective operations of all ranks",
                            .x_label = "bytes of a rank's block",
                            .y_label = "GB / s",
                            .x_scale = program::Scale::kLog2,
                            .lines = {},
                            .whiskers = "95 % confidence of the median"};
  for (const CollectiveRow& row : rows) {
    if (row.point.bytes == 0) continue;
    const std::string series = SeriesOf(row.point);
    if (plot.lines.empty() || plot.lines.back().name != series) plot.lines.push_back({series, {}});
    const Interval interval = IntervalOf(row.latencies_ns);
    program::Point point = {.x = static_cast<double>(row.point.bytes),
                            .y = GigabytesPerS(row, interval.median)};
    if (interval.confidence) {
      point.whisker = {GigabytesPerS(row, interval.confidence->high),
                       GigabytesPerS(row, interval.confidence->low)};
    }
    if (IsDisturbed(row)) point.quality = program::Quality::kDisturbed;
    plot.lines.back().points.push_back(point);
  }
  return program::ToSvg(plot);
}

}  // namespace rma
