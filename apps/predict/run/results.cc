#include "apps/predict/run/results.h"

#include <algorithm>
#include <set>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "topo/topo.h"

namespace predict {
namespace {

std::vector<topo::Policy> Policies(const std::vector<Prediction>& rows) {
  std::vector<topo::Policy> policies;
  for (const Prediction& row : rows) {
    if (std::find(policies.begin(), policies.end(), row.policy) == policies.end()) {
      policies.push_back(row.policy);
    }
  }
  return policies;
}

std::string Significant(double value) {
  const int digits = value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return program::Fixed(value, digits);
}

}  // namespace

program::Json ToJson(const Prediction& row) {
  return {{"program", ToString(row.program)},
          {"policy", topo::ToString(row.policy)},
          {"threads", row.threads},
          {"simulated", true},
          {"virtual_seconds", row.virtual_seconds},
          {"rate", row.rate},
          {"rate_unit", RateUnit(row.program)}};
}

std::string ToText(const std::vector<Prediction>& rows, program::Color color) {
  const std::string unit(RateUnit(rows.front().program));
  std::vector<program::Table::Column> columns = {{"threads"}};
  for (const topo::Policy policy : Policies(rows)) {
    const std::string name(topo::ToString(policy));
    columns.push_back({name + ", ms"});
    columns.push_back({unit});
  }
  program::Table table(columns);
  std::set<int> counts;
  for (const Prediction& row : rows) counts.insert(row.threads);
  for (const int threads : counts) {
    std::vector<std::string> cells = {std::to_string(threads)};
    for (const Prediction& row : rows) {
      if (row.threads != threads) continue;
      cells.push_back(Significant(row.virtual_seconds * 1e3));
      cells.push_back(Significant(row.rate));
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(color);
}

std::string ToSvg(const std::vector<Prediction>& rows, std::string_view machine) {
  program::LinePlot plot = {.title = std::string(ToString(rows.front().program)) +
                                     " by threads and affinity policy, simulated on " +
                                     std::string(machine),
                            .x_label = "threads",
                            .y_label = std::string(RateUnit(rows.front().program)),
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  for (const topo::Policy policy : Policies(rows)) {
    program::Line line = {.name = std::string(topo::ToString(policy)), .points = {}};
    for (const Prediction& row : rows) {
      if (row.policy == policy) {
        line.points.push_back({.x = static_cast<double>(row.threads), .y = row.rate});
      }
    }
    plot.lines.push_back(std::move(line));
  }
  return program::ToSvg(plot);
}

}  // namespace predict
