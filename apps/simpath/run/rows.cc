#include "apps/simpath/run/rows.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/bytes.h"
#include "apps/program/memory.h"
#include "apps/program/terminal.h"
#include "apps/simpath/array/count_grid.h"
#include "apps/simpath/array/grid_size.h"
#include "apps/simpath/counting/any_graph.h"
#include "apps/simpath/forecast/count_forecast.h"
#include "apps/simpath/forecast/grid_forecast.h"
#include "apps/simpath/forecast/path_samples.h"
#include "apps/simpath/frontier/forecast.h"
#include "apps/simpath/frontier/plan.h"

namespace simpath {
namespace {

using Clock = std::chrono::steady_clock;
using Progress = std::function<void(const std::string&)>;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The input order of a grid is row by row.
std::string OrderOf(const Resolved& resolved, const Instance& instance) {
  if (resolved.order == Order::kInput && instance.grid) return "rows";
  return std::string(ToString(resolved.order));
}

// Forecasts the time of a count by one thread from the time of a small forecast.
double SecondsFor(const std::vector<LevelForecast>& levels) {
  const auto states_of = [](const std::vector<LevelForecast>& some) {
    double states = 0;
    for (const LevelForecast& level : some) states += static_cast<double>(level.states);
    return states;
  };
  const graph::EdgeList grid = Grid(9);
  const Plan plan = MakePlan(*MakeProblem(grid, 0, grid.vertices - 1));
  const Clock::time_point start = Clock::now();
  const auto small = ForecastStates(plan);
  return SecondsSince(start) / states_of(*small) * states_of(levels);
}

absl::Status Disagree(const Row& one, const Row& other) {
  const auto name = [](const Row& row) {
    return absl::StrCat("the mode ", std::string(ToString(row.mode)), " by ", row.threads,
                        row.threads == 1 ? " thread" : " threads");
  };
  return absl::InternalError(absl::StrCat(name(one), " counts ", one.count.ToString(), " ",
                                          NounOf(one), ", ", name(other), " ",
                                          other.count.ToString()));
}

// Fills in the row's count and seconds.
absl::Status CountByArrays(const Resolved& resolved, const Instance& instance,
                           const topo::Mapping& mapping, const Progress& progress, Row& row) {
  const int cells = *instance.grid;
  const GridForecast forecast = ForecastGrid(cells);
  row.order = "rows";
  row.moduli = row.checked ? forecast.moduli : forecast.moduli - 1;
  row.max_width = cells + 1;
  row.forecast_bytes = forecast.bytes;
  if (forecast.bytes > resolved.memory_limit) {
    return absl::ResourceExhaustedError(
        absl::StrCat(instance.name, " has ", forecast.words, " words, which need ",
                     program::FormatBytes(static_cast<double>(forecast.bytes)), "; there is ",
                     program::FormatBytes(static_cast<double>(resolved.memory_limit))));
  }
  const Clock::time_point start = Clock::now();
  double share_before = -1;  // that an earlier run has done
  double before_check = 0;   // seconds before the checking modulus
  auto count =
      CountGrid(cells, resolved.topology, mapping,
                {.progress =
                     [&](const GridProgress& done) {
                       const double a_row = 1.0 / (static_cast<double>(done.moduli) * done.rows);
                       const double share =
                           (static_cast<double>(done.modulus) * done.rows + done.row + 1) * a_row;
                       if (share_before < 0) share_before = share - a_row;
                       const double here = (share - share_before) / (1 - share_before);
                       const double seconds = SecondsSince(start);
                       if (done.modulus + 1 < done.moduli) before_check = seconds;
                       progress(absl::StrCat("modulus ", done.modulus + 1, " of ", done.moduli,
                                             ", row ", done.row + 1, " of ", done.rows,
                                             program::TimeLeft(seconds, here)));
                     },
                 .checkpoint = resolved.checkpoint,
                 .check = resolved.check});
  if (!count.ok()) return count.status();
  row.count = *std::move(count);
  row.count_seconds = SecondsSince(start);
  if (row.checked) {
    row.check_seconds = row.count_seconds - before_check;
    row.count_seconds = before_check;
  }
  return absl::OkStatus();
}

absl::Status CountEdgeByEdge(const Resolved& resolved, const Prepared& prepared,
                             const topo::Mapping& mapping, const Progress& progress, Row& row) {
  row.max_width = prepared.max_width();
  const Clock::time_point start = Clock::now();
  auto count = CountAnyGraph(prepared, row.mode, resolved.topology, mapping,
                             {.memory_limit = resolved.memory_limit,
                              .progress = progress,
                              .checkpoint = resolved.checkpoint,
                              .check = resolved.check});
  if (!count.ok()) return count.status();
  row.count = *std::move(count);
  row.count_seconds = SecondsSince(start);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Row>> CountRows(const Resolved& resolved, const Progress& progress) {
  std::vector<Row> rows;
  for (const Instance& instance : resolved.instances) {
    std::optional<Prepared> prepared;
    double order_seconds = 0;
    const std::size_t first = rows.size();
    for (const Mode mode : resolved.modes) {
      const auto show = [&](const std::string& line) {
        progress(absl::StrCat(instance.name, " (", std::string(ToString(mode)), "): ", line));
      };
      if (mode != Mode::kArray && !prepared) {
        show("looking for an order of its edges");
        const Clock::time_point start = Clock::now();
        prepared.emplace(instance.problem, resolved.reducing, resolved.order);
        order_seconds = SecondsSince(start);
      }
      for (const topo::Mapping& mapping : resolved.mappings) {
        Row row = {.graph = instance.name,
                   .grid = instance.grid,
                   .mode = mode,
                   .order = OrderOf(resolved, instance),
                   .count = {},
                   .rule = instance.problem.rule,
                   .max_length = instance.problem.max_length,
                   .forecast_bytes = {},
                   .order_seconds = mode == Mode::kArray ? 0 : order_seconds,
                   .checked = resolved.check == Check::kOn};
        if (mode != Mode::kSequential) {
          row.policy = mapping.policy();
          row.threads = mapping.size();
        }
        absl::Status status = mode == Mode::kArray
                                  ? CountByArrays(resolved, instance, mapping, show, row)
                                  : CountEdgeByEdge(resolved, *prepared, mapping, show, row);
        if (!status.ok()) return status;
        row.max_rss_bytes = program::MaxRssBytes();
        if (rows.size() > first && rows[first].count != row.count) {
          return Disagree(rows[first], row);
        }
        rows.push_back(std::move(row));
        if (mode == Mode::kSequential) break;  // Neither threads nor policies.
      }
    }
    // Agreeing rows check each other.
    if (rows.size() > first + 1) {
      for (std::size_t i = first; i < rows.size(); ++i) rows[i].checked = true;
    }
  }
  return rows;
}

absl::StatusOr<std::vector<ForecastRow>> ForecastRows(const Resolved& resolved,
                                                      const Progress& progress) {
  // Limits for an answer within a second.
  constexpr std::uint64_t kStates = 5'000'000, kLooks = 20'000'000;
  std::vector<ForecastRow> rows;
  for (const Instance& instance : resolved.instances) {
    ForecastRow row = {
        .graph = instance.name, .order = OrderOf(resolved, instance), .levels = {}, .paths = {}};
    if (instance.grid && row.order == "rows" && resolved.are_corners) {
      row.source = ForecastRow::Source::kFormula;
      row.levels = ForecastGridByFormula(*instance.grid);
      row.seconds = SecondsFor(row.levels);
      rows.push_back(std::move(row));
      continue;
    }
    progress(instance.name + ": looking for an order of its edges");
    const Prepared prepared(instance.problem, resolved.reducing, resolved.order);
    for (const Problem& part : prepared.parts()) {
      const std::size_t edges = part.edges.size();
      auto forecast = ForecastCount(
          part, kStates, {.memory_limit = resolved.memory_limit, .progress = [&](const Done& done) {
                            progress(absl::StrCat(instance.name, ": edge ", done.step + 1, " of ",
                                                  edges, ", ", done.states, " states"));
                          }});
      if (!forecast.ok()) return forecast.status();
      if (forecast->exact < forecast->levels.size()) row.source = ForecastRow::Source::kEstimate;
      row.states_factor = std::max(row.states_factor, forecast->factor);
      row.levels.insert(row.levels.end(), forecast->levels.begin(), forecast->levels.end());
    }
    const Problem& problem = instance.problem;
    if (problem.rule == Rule{} && !problem.max_length && problem.source != problem.target) {
      row.paths = SamplePaths(problem, resolved.seed, kLooks);
    }
    row.seconds = SecondsFor(row.levels);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace simpath
