#include "apps/rma/run/results.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "apps/program/plot.h"
#include "apps/program/spread.h"
#include "apps/program/table.h"
#include "apps/rma/run/interval.h"
#include "apps/rma/simulated/interconnect.h"
#include "apps/rma/simulated/simulate.h"

namespace rma {
namespace {

using program::Fixed;
using program::Table;

std::vector<double> ValuesOf(const Row& row, double Sample::*value) {
  std::vector<double> values;
  for (const Sample& sample : row.samples) values.push_back(sample.*value);
  return values;
}

bool IsSimulated(const Point& point) { return InterconnectOf(point.network).has_value(); }

// "ofi", "mixed, beyond".
std::string NetworkOf(const Point& point) {
  return std::string(ToString(point.network)) +
         (point.way == Way::kAny ? "" : ", " + std::string(ToString(point.way)));
}

bool IsDisturbed(const Row& row, double Sample::*value) {
  return program::IsDisturbed(program::SpreadOf(ValuesOf(row, value)));
}

double Rounded(double value) { return std::round(value * 10) / 10; }

// "17.3 (16.9 – 18.0)", after a division.
std::string Cell(const Row& row, double Sample::*value, double unit) {
  const Interval interval = IntervalOf(ValuesOf(row, value));
  const int digits = interval.median / unit < 10 ? 3 : 1;
  std::string text = Fixed(interval.median / unit, digits);
  if (interval.confidence) {
    text += " (" + Fixed(interval.confidence->low / unit, digits) + " – " +
            Fixed(interval.confidence->high / unit, digits) + ")";
  }
  return text + (IsDisturbed(row, value) ? std::string(program::kDagger) : "");
}

// What a figure of the paper shows.
struct Shown {
  double Sample::*value;
  double unit;
  const char* title;
  const char* label;
};
Shown ShownIn(Figure figure) {
  switch (figure) {
    case Figure::kOverhead:
      return {&Sample::overhead_ns, 1e3, "Overhead of a read's request", "µs"};
    case Figure::kRate:
      return {&Sample::messages_per_s, 1e6, "Message rate of reads", "million messages / s"};
    case Figure::kLatency:
    case Figure::kCollectives:  // collective_results.h
      break;
  }
  return {&Sample::latency_ns, 1e3, "Latency of a read", "µs"};
}

}  // namespace

program::Json ToJson(const Row& row) {
  const Point& point = row.point;
  const bool simulated = IsSimulated(point);
  program::Json json = {{simulated ? "network" : "conduit", ToString(point.network)},
                        {"offload", ToString(point.offload)},
                        {"threads", point.threads},
                        {"bytes", point.bytes}};
  if (point.way != Way::kAny) json["way"] = ToString(point.way);
  if (simulated) {
    json["simulated"] = true;
    json["virtual_seconds"] = kSimulatedRequests / row.samples.front().messages_per_s;
  }
  const std::pair<const char*, double Sample::*> values[] = {
      {"latency_ns", &Sample::latency_ns},
      {"overhead_ns", &Sample::overhead_ns},
      {"messages_per_s", &Sample::messages_per_s}};
  bool disturbed = false;
  for (const auto& [key, value] : values) {
    const Interval interval = IntervalOf(ValuesOf(row, value));
    json[key] = Rounded(interval.median);
    if (interval.confidence) {
      json[key + std::string("_low")] = Rounded(interval.confidence->low);
      json[key + std::string("_high")] = Rounded(interval.confidence->high);
    }
    disturbed = disturbed || IsDisturbed(row, value);
  }
  if (!simulated) {
    json["repetitions"] = row.samples.size();
    json["disturbed"] = disturbed;
  }
  return json;
}

std::string ToText(const std::vector<Row>& rows, int pus, program::Color color) {
  Table table({{"network", Table::Align::kLeft},
               {"offload", Table::Align::kLeft},
               {"bytes"},
               {"threads"},
               {"latency µs"},
               {"overhead µs"},
               {"million messages / s"}});
  bool has_intervals = false, disturbed = false, takes_turns = false;
  const Row* before = nullptr;
  for (const Row& row : rows) {
    if (before != nullptr && SeriesOf(before->point) != SeriesOf(row.point)) table.AddRule();
    before = &row;
    const bool simulated = IsSimulated(row.point);
    table.AddRow({NetworkOf(row.point), std::string(ToString(row.point.offload)),
                  std::to_string(row.point.bytes), std::to_string(row.point.threads),
                  Cell(row, &Sample::latency_ns, 1e3), Cell(row, &Sample::overhead_ns, 1e3),
                  Cell(row, &Sample::messages_per_s, 1e6)});
    has_intervals =
        has_intervals || IntervalOf(ValuesOf(row, &Sample::latency_ns)).confidence.has_value();
    for (const auto value : {&Sample::latency_ns, &Sample::overhead_ns, &Sample::messages_per_s}) {
      disturbed = disturbed || IsDisturbed(row, value);
    }
    takes_turns = takes_turns || (!simulated && row.point.threads > pus);
  }
  std::string text = table.Render(color);
  if (has_intervals) text += "Medians of repetitions, in parentheses their 95 % confidence.\n";
  if (takes_turns) {
    text += "Rows of more than " + std::to_string(pus) +
            " threads: these take turns on the machine's PUs, with the communication threads of "
            "both ranks.\n";
  }
  if (disturbed) text += std::string(program::kFootnote) + "\n";
  return text;
}

std::string ToSvg(const std::vector<Row>& rows, Figure figure) {
  const Shown shown = ShownIn(figure);
  const bool simulated = IsSimulated(rows.front().point);
  program::LinePlot plot = {.title = std::string(shown.title) + (simulated ? ", simulated" : ""),
                            .x_label = "threads",
                            .y_label = shown.label,
                            .lines = {},
                            .whiskers = "95 % confidence of the median"};
  for (const Row& row : rows) {
    const std::string series = SeriesOf(row.point);
    if (plot.lines.empty() || plot.lines.back().name != series) plot.lines.push_back({series, {}});
    const Interval interval = IntervalOf(ValuesOf(row, shown.value));
    program::Point point = {.x = static_cast<double>(row.point.threads),
                            .y = interval.median / shown.unit};
    if (interval.confidence) {
      point.whisker = {interval.confidence->low / shown.unit,
                       interval.confidence->high / shown.unit};
    }
    if (IsDisturbed(row, shown.value)) point.quality = program::Quality::kDisturbed;
    plot.lines.back().points.push_back(point);
  }
  return program::ToSvg(plot);
}

}  // namespace rma
