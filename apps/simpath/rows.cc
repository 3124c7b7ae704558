#include "apps/simpath/rows.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/memory.h"
#include "apps/program/terminal.h"
#include "apps/simpath/any_graph.h"
#include "apps/simpath/array/count_grid.h"
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

absl::Status Disagree(const std::string& one, const Count& count, const std::string& other,
                      const Count& other_count) {
  return absl::InternalError(absl::StrCat(one, " counts ", count.ToString(), " paths, ", other, " ",
                                          other_count.ToString()));
}

absl::StatusOr<Count> CountByArrays(const Resolved& resolved, const Instance& instance,
                                    const topo::Mapping& mapping, const Progress& progress,
                                    Row& row) {
  const int cells = *instance.grid;
  const GridForecast forecast = ForecastGrid(cells);
  row.order = "rows";
  row.moduli = forecast.moduli;
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
  return CountGrid(cells, resolved.topology, mapping,
                   {.progress =
                        [&](const GridProgress& done) {
                          const double a_row = 1.0 / (static_cast<double>(done.moduli) * done.rows);
                          const double share =
                              (static_cast<double>(done.modulus) * done.rows + done.row + 1) *
                              a_row;
                          if (share_before < 0) share_before = share - a_row;
                          const double here = (share - share_before) / (1 - share_before);
                          progress(absl::StrCat("modulus ", done.modulus + 1, " of ", done.moduli,
                                                ", row ", done.row + 1, " of ", done.rows,
                                                program::TimeLeft(SecondsSince(start), here)));
                        },
                    .checkpoint = resolved.checkpoint});
}

absl::StatusOr<Row> CountRow(const Resolved& resolved, const Instance& instance,
                             const Prepared* prepared, Mode mode, const topo::Mapping& mapping,
                             const Progress& progress) {
  Row row = {.graph = instance.name,
             .grid = instance.grid,
             .mode = mode,
             .order = OrderOf(resolved, instance),
             .count = {},
             .forecast_bytes = {}};
  if (mode != Mode::kSequential) {
    row.policy = mapping.policy();
    row.threads = mapping.size();
  }
  const Clock::time_point start = Clock::now();
  absl::StatusOr<Count> count;
  if (mode == Mode::kArray) {
    count = CountByArrays(resolved, instance, mapping, progress, row);
  } else {
    row.max_width = prepared->max_width();
    count = CountAnyGraph(*prepared, mode, resolved.topology, mapping,
                          {.memory_limit = resolved.memory_limit,
                           .progress = progress,
                           .checkpoint = resolved.checkpoint});
  }
  if (!count.ok()) return count.status();
  row.count = *std::move(count);
  row.seconds = SecondsSince(start);
  row.max_rss_bytes = program::MaxRssBytes();
  return row;
}

}  // namespace

absl::StatusOr<std::vector<Row>> CountRows(const Resolved& resolved, const Progress& progress) {
  std::vector<Row> rows;
  for (const Instance& instance : resolved.instances) {
    std::optional<Prepared> prepared;
    const std::size_t first = rows.size();
    for (const Mode mode : resolved.modes) {
      if (mode != Mode::kArray && !prepared) {
        prepared.emplace(instance.problem, resolved.reducing, resolved.order);
      }
      for (const topo::Mapping& mapping : resolved.mappings) {
        auto row = CountRow(
            resolved, instance, prepared ? &*prepared : nullptr, mode, mapping,
            [&](const std::string& line) {
              progress(absl::StrCat(instance.name, " (", std::string(ToString(mode)), "): ", line));
            });
        if (!row.ok()) return row.status();
        if (rows.size() > first && rows[first].count != row->count) {
          return Disagree(std::string(ToString(row->mode)), row->count,
                          std::string(ToString(rows[first].mode)), rows[first].count);
        }
        rows.push_back(*std::move(row));
        if (mode == Mode::kSequential) break;  // Neither threads nor policies.
      }
    }
    const bool has_arrays = std::find(resolved.modes.begin(), resolved.modes.end(), Mode::kArray) !=
                            resolved.modes.end();
    if (has_arrays || rows.size() > first + 1) continue;
    const auto count_again = [&](const Prepared& other, Mode mode) {
      return CountAnyGraph(
          other, mode, resolved.topology, resolved.mappings.front(),
          {.memory_limit = resolved.memory_limit,
           .progress = [&](const std::string& line) { progress("checking: " + line); },
           .checkpoint = {}});
    };
    const Mode mode = resolved.modes.front();
    auto again = count_again(InAnotherOrder(*prepared), mode);
    if (absl::IsResourceExhausted(again.status())) {
      // That order needs more memory: then this one, by other tables.
      again =
          count_again(*prepared, mode == Mode::kPartition ? Mode::kSequential : Mode::kPartition);
    }
    if (!again.ok()) return again.status();
    if (*again != rows[first].count) {
      return Disagree("the first count", rows[first].count, "the second", *again);
    }
  }
  return rows;
}

absl::StatusOr<std::vector<ForecastRow>> ForecastRows(const Resolved& resolved,
                                                      const Progress& progress) {
  std::vector<ForecastRow> rows;
  for (const Instance& instance : resolved.instances) {
    const Prepared prepared(instance.problem, resolved.reducing, resolved.order);
    ForecastRow row = {.graph = instance.name, .order = OrderOf(resolved, instance), .levels = {}};
    const Clock::time_point start = Clock::now();
    for (const Problem& part : prepared.parts()) {
      const Plan plan = MakePlan(part);
      auto levels = ForecastStates(
          plan, {.memory_limit = resolved.memory_limit, .progress = [&](const Done& done) {
                   progress(absl::StrCat(instance.name, ": edge ", done.step + 1, " of ",
                                         plan.steps.size(), ", ", done.states, " states"));
                 }});
      if (!levels.ok()) return levels.status();
      row.levels.insert(row.levels.end(), levels->begin(), levels->end());
    }
    row.seconds = SecondsSince(start);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace simpath
