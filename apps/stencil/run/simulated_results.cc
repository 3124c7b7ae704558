#include "apps/stencil/run/simulated_results.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/stencil/run/split_plot.h"

namespace stencil {
namespace {

using program::Fixed;

std::string Title(const SimulatedRow& row) {
  return absl::StrCat(row.points, "-point stencil, simulated nodes");
}

// Which of a row's numbers differs from row to row.
bool Differ(const std::vector<SimulatedRow>& rows, int SimulatedRow::*number) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const SimulatedRow& row) { return row.*number != rows.front().*number; });
}

// A line for each algorithm, and for each other number where there are several.
template <typename Value>
void AddLines(const std::vector<SimulatedRow>& rows, int SimulatedRow::*x,
              const std::string& other_name, int SimulatedRow::*other, Value value,
              program::LinePlot& plot) {
  const bool is_several = Differ(rows, other);
  for (const SimulatedRow& row : rows) {
    const std::string name =
        is_several ? absl::StrCat(row.algorithm, ", ", other_name, " ", row.*other) : row.algorithm;
    auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                             [&](const program::Line& each) { return each.name == name; });
    if (line == plot.lines.end()) line = plot.lines.insert(line, {.name = name, .points = {}});
    line->points.push_back({static_cast<double>(row.*x), value(row)});
  }
}

template <typename Value>
std::string LinesByNodes(const std::vector<SimulatedRow>& rows, const std::string& label,
                         Value value) {
  program::LinePlot plot = {.title = Title(rows.front()),
                            .x_label = "nodes; each brings planes of its own",
                            .y_label = label,
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  AddLines(rows, &SimulatedRow::nodes, "threads", &SimulatedRow::threads, value, plot);
  return ToSvg(plot);
}

double GigaUpdates(const SimulatedRow& row) { return row.updates_per_s() / 1e9; }

}  // namespace

program::Json ToJson(const SimulatedRow& row) {
  program::Json json = {{"algorithm", row.algorithm},
                        {"points", row.points},
                        {"nodes", row.nodes},
                        {"threads", row.threads}};
  if (row.page_bytes > 0) json["page_bytes"] = row.page_bytes;
  json["simulated"] = true;
  json["updates_per_s"] = row.updates_per_s();
  json["virtual_seconds"] = row.virtual_seconds;
  json["compute_seconds"] = row.compute_seconds;
  json["preload_seconds"] = row.preload_seconds;
  json["fault_seconds"] = row.fault_seconds;
  json["barrier_seconds"] = row.barrier_seconds;
  json["first_compute_seconds"] = row.first.compute;
  json["first_preload_seconds"] = row.first.preload;
  json["first_fault_seconds"] = row.first.fault;
  json["first_barrier_seconds"] = row.first.barrier;
  json["exchanges"] = row.exchanges;
  json["faults"] = row.faults;
  json["pages_fetched"] = row.pages_fetched;
  return json;
}

program::Json Assumptions(const NodeModel& model) {
  const dsm::sim::Machine& machine = model.machine;
  const Cores& cores = model.cores;
  return {{"assumed_cores_of_socket", cores.of_socket},
          {"assumed_cache_mib", cores.cache_bytes / (1 << 20)},
          {"assumed_adds_per_ns", cores.adds_per_ns},
          {"assumed_socket_gb_per_s", cores.socket_bytes_per_ns},
          {"assumed_memory_ns", cores.memory_ns},
          {"assumed_lines_in_flight", cores.lines_in_flight},
          {"assumed_jitter_percent", model.jitter * 100},
          {"assumed_spread_percent", model.spread * 100},
          {"assumed_latency_us", machine.latency * 1e6},
          {"assumed_software_us", machine.software * 1e6},
          {"assumed_link_gb_per_s", machine.link_bytes_per_second / 1e9},
          {"assumed_copy_gb_per_s", machine.copy_bytes_per_second / 1e9},
          {"assumed_fault_us", machine.fault * 1e6},
          {"assumed_map_us", machine.map_page * 1e6},
          {"assumed_drop_us", machine.drop_page * 1e6},
          {"assumed_stop_us", machine.stop_thread * 1e6},
          {"assumed_late_percent", model.late_share * 100},
          {"assumed_late_ms", model.late * 1e3}};
}

std::string ToText(const std::vector<SimulatedRow>& rows, program::Color color) {
  program::Table table({{"algorithm", program::Table::Align::kLeft},
                        {"points"},
                        {"nodes"},
                        {"threads"},
                        {"Gupdates/s"},
                        {"virtual s"},
                        {"compute"},
                        {"preload"},
                        {"fault"},
                        {"barrier"},
                        {"exchanges"},
                        {"faults"},
                        {"pages"}});
  for (const SimulatedRow& row : rows) {
    table.AddRow({row.algorithm, std::to_string(row.points), std::to_string(row.nodes),
                  std::to_string(row.threads), Fixed(row.updates_per_s() / 1e9, 1),
                  Fixed(row.virtual_seconds, 3), Fixed(row.compute_seconds, 3),
                  Fixed(row.preload_seconds, 3), Fixed(row.fault_seconds, 3),
                  Fixed(row.barrier_seconds, 3), std::to_string(row.exchanges),
                  std::to_string(row.faults), std::to_string(row.pages_fetched)});
  }
  return table.Render(color) + "simulated; the parts are the mean of all nodes\n";
}

std::string TimeByNodesToSvg(const std::vector<SimulatedRow>& rows) {
  return LinesByNodes(rows, "virtual seconds",
                      [](const SimulatedRow& row) { return row.virtual_seconds; });
}

std::string SpeedByNodesToSvg(const std::vector<SimulatedRow>& rows) {
  return LinesByNodes(rows, "Gupdates/s", GigaUpdates);
}

std::string SpeedByThreadsToSvg(const std::vector<SimulatedRow>& rows) {
  program::LinePlot plot = {.title = Title(rows.front()),
                            .x_label = "threads of a node",
                            .y_label = "Gupdates/s",
                            .lines = {}};
  AddLines(rows, &SimulatedRow::threads, "nodes", &SimulatedRow::nodes, GigaUpdates, plot);
  return ToSvg(plot);
}

std::string SplitToSvg(const std::vector<SimulatedRow>& rows) {
  std::vector<TimeSplit> splits;
  for (const SimulatedRow& row : rows) {
    splits.push_back({.name = absl::StrCat(row.algorithm, ", ", row.nodes),
                      .seconds = row.virtual_seconds,
                      .compute_seconds = row.compute_seconds,
                      .preload_seconds = row.preload_seconds,
                      .fault_seconds = row.fault_seconds,
                      .barrier_seconds = row.barrier_seconds});
  }
  return SplitPlot(Title(rows.front()) + ": parts of the time", splits, "virtual seconds");
}

Outcome OutcomeOf(const std::vector<SimulatedRow>& rows, const Simulated& simulated,
                  const std::string& figure, const std::string& command) {
  const Problem& problem = simulated.problem;
  Outcome outcome;
  outcome.text = [rows](program::Color color) { return ToText(rows, color); };
  outcome.parameters = {{"command", command},        {"mode", "simulated"},
                        {"nz_per_node", problem.nz}, {"ny", problem.ny},
                        {"nx", problem.nx},          {"steps", problem.steps},
                        {"block", problem.block},    {"seed", simulated.model.seed}};
  outcome.parameters.update(Assumptions(simulated.model));
  for (const SimulatedRow& row : rows) outcome.rows.push_back(ToJson(row));
  outcome.svg = [rows, figure] {
    if (figure == "speed") {
      return Differ(rows, &SimulatedRow::threads) ? SpeedByThreadsToSvg(rows)
                                                  : SpeedByNodesToSvg(rows);
    }
    return figure == "time" ? TimeByNodesToSvg(rows) : SplitToSvg(rows);
  };
  return outcome;
}

}  // namespace stencil
