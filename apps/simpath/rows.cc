#include "apps/simpath/rows.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/memory.h"
#include "apps/program/table.h"
#include "apps/simpath/array/count_grid.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"

namespace simpath {
namespace {

using Clock = std::chrono::steady_clock;

absl::Status Disagree(const std::string& one, const Count& count, const std::string& other,
                      const Count& other_count) {
  return absl::InternalError(absl::StrCat(one, " counts ", count.ToString(), " paths, ", other, " ",
                                          other_count.ToString()));
}

absl::StatusOr<Count> CountInOrder(const Resolved& resolved, const Plan& plan,
                                   const std::string& what,
                                   const std::function<void(const std::string&)>& progress) {
  CountOptions options;
  if (resolved.memory_limit) options.memory_limit = *resolved.memory_limit;
  options.progress = [&](const Done& done) {
    progress(absl::StrCat(what, "edge ", done.step + 1, " of ", plan.steps.size(), ", ",
                          done.states, " states"));
  };
  return CountSequentially(plan, options);
}

// Counts again with the edges in the opposite order, which comes to other states.
absl::Status Check(const Resolved& resolved, const Row& row,
                   const std::function<void(const std::string&)>& progress) {
  Problem problem = resolved.problem;
  if (problem.source == problem.target) return absl::OkStatus();
  std::reverse(problem.edges.begin(), problem.edges.end());
  const auto count = CountInOrder(resolved, MakePlan(problem), "checking: ", progress);
  if (!count.ok()) return count.status();
  if (*count == row.count) return absl::OkStatus();
  return Disagree("the given order", row.count, "the opposite one", *count);
}

absl::Status CountOnce(const Resolved& resolved, const topo::Mapping& mapping,
                       const std::function<void(const std::string&)>& progress, Row& row) {
  if (row.mode == Mode::kArray) {
    const int cells = *resolved.grid;
    const GridForecast forecast = ForecastGrid(cells);
    row.moduli = forecast.moduli;
    row.max_width = cells + 1;
    row.forecast_bytes = forecast.bytes;
    if (resolved.memory_limit && forecast.bytes > *resolved.memory_limit) {
      return absl::ResourceExhaustedError(
          absl::StrCat(resolved.name, " has ", forecast.words, " words, which need ",
                       program::Gigabytes(static_cast<double>(forecast.bytes)), "; there is ",
                       program::Gigabytes(static_cast<double>(*resolved.memory_limit))));
    }
    auto count =
        CountGrid(cells, resolved.topology, mapping,
                  {.progress =
                       [&](const GridProgress& done) {
                         progress(absl::StrCat("modulus ", done.modulus + 1, " of ", done.moduli,
                                               ", row ", done.row + 1, " of ", cells + 1));
                       },
                   .checkpoint = {}});
    if (count.ok()) row.count = *std::move(count);
    return count.status();
  }
  const Problem& problem = resolved.problem;
  if (problem.source == problem.target) {
    row.count = 1;  // the path of no edge
    return absl::OkStatus();
  }
  const Plan plan = MakePlan(problem);
  row.max_width = plan.slots;
  auto count = CountInOrder(resolved, plan, "", progress);
  if (count.ok()) row.count = *std::move(count);
  return count.status();
}

}  // namespace

absl::StatusOr<std::vector<Row>> CountRows(
    const Resolved& resolved, const std::function<void(const std::string&)>& progress) {
  std::vector<Row> rows;
  for (const Mode mode : resolved.modes) {
    for (const topo::Mapping& mapping : resolved.mappings) {
      Row row = {.graph = resolved.name, .mode = mode, .count = {}, .forecast_bytes = {}};
      if (mode == Mode::kArray) {
        row.policy = mapping.policy();
        row.threads = mapping.size();
      }
      const Clock::time_point start = Clock::now();
      if (absl::Status status = CountOnce(resolved, mapping, progress, row); !status.ok()) {
        return status;
      }
      row.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      row.max_rss_bytes = program::MaxRssBytes();
      if (!rows.empty() && rows.front().count != row.count) {
        return Disagree(std::string(ToString(row.mode)), row.count,
                        std::string(ToString(rows.front().mode)), rows.front().count);
      }
      rows.push_back(std::move(row));
      if (mode == Mode::kSequential) break;  // Neither threads nor policies.
    }
  }
  // Arrays have a modulus that checks, and modes agree; one mode alone has neither.
  if (resolved.modes == std::vector{Mode::kSequential}) {
    if (absl::Status status = Check(resolved, rows.front(), progress); !status.ok()) return status;
  }
  return rows;
}

program::Json ToJson(const Row& row) {
  program::Json json = {{"graph", row.graph},
                        {"mode", std::string(ToString(row.mode))},
                        {"order", row.graph.starts_with("grid ") ? "rows" : "input"},
                        {"policy", std::string(topo::ToString(row.policy))},
                        {"threads", row.threads},
                        {"count", row.count.ToString()},
                        {"moduli", row.moduli},
                        {"max_width", row.max_width},
                        {"forecast_bytes", nullptr},
                        {"seconds", row.seconds},
                        {"max_rss_bytes", row.max_rss_bytes}};
  if (row.forecast_bytes) json["forecast_bytes"] = *row.forecast_bytes;
  return json;
}

std::string ToTable(const std::vector<Row>& rows, program::Color color) {
  program::Table table({{"mode", program::Table::Align::kLeft},
                        {"policy", program::Table::Align::kLeft},
                        {"threads"},
                        {"moduli"},
                        {"seconds"},
                        {"memory MB"}});
  for (const Row& row : rows) {
    table.AddRow({std::string(ToString(row.mode)), std::string(topo::ToString(row.policy)),
                  absl::StrCat(row.threads), absl::StrCat(row.moduli),
                  program::Fixed(row.seconds, 2),
                  program::Fixed(static_cast<double>(row.max_rss_bytes) / 1e6, 0)});
  }
  return table.Render(color);
}

}  // namespace simpath
