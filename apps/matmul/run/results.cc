#include "apps/matmul/run/results.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/program/plot.h"
#include "apps/program/spread.h"
#include "apps/program/table.h"

namespace matmul {
namespace {

using program::Fixed;
using program::Table;

// Figures to three decimals: more is noise, and makes files hard to compare.
double Rounded(double value) { return std::round(value * 1000) / 1000; }

std::set<int> WorkerCounts(const std::vector<Row>& rows) {
  std::set<int> counts;
  for (const Row& row : rows) counts.insert(row.workers);
  return counts;
}

// "original", "depth, k = 8": one line of a plot.
std::string SeriesOf(const Row& row) {
  std::string name(ToString(row.variant));
  if (row.rule.victims == Victims::kDepth) {
    name += ", k = " + std::to_string(row.rule.candidates);
  }
  return name;
}

std::vector<std::string> Series(const std::vector<Row>& rows) {
  std::vector<std::string> series;
  for (const Row& row : rows) {
    if (std::find(series.begin(), series.end(), SeriesOf(row)) == series.end()) {
      series.push_back(SeriesOf(row));
    }
  }
  return series;
}

const Row* Find(const std::vector<Row>& rows, const std::string& series, int workers) {
  for (const Row& row : rows) {
    if (SeriesOf(row) == series && row.workers == workers) return &row;
  }
  return nullptr;
}

// With the most workers, those that stole.
std::vector<const Row*> Thieves(const std::vector<Row>& rows) {
  std::vector<const Row*> thieves;
  if (rows.empty()) return thieves;
  const int most = *WorkerCounts(rows).rbegin();
  for (const Row& row : rows) {
    if (row.workers == most && row.work.steals > 0) thieves.push_back(&row);
  }
  return thieves;
}

int DeepestSteal(const std::vector<const Row*>& thieves) {
  int deepest = -1;
  for (const Row* row : thieves) deepest = std::max(deepest, row->deepest_steal());
  return deepest;
}

std::string WorkersText(const Row& row) {
  return std::to_string(row.workers) +
         (row.mode == Mode::kSimulated ? " simulated worker" : " worker") +
         (row.workers == 1 ? "" : "s");
}

std::string AllRows(const std::vector<Row>& rows, program::Color color) {
  Table table({{"workers"},
               {"variant", Table::Align::kLeft},
               {"victims", Table::Align::kLeft},
               {"candidates"},
               {"GFLOP/s"},
               {"", Table::Align::kLeft},
               {"quartiles"},
               {"/ cutoff"},
               {"spawns"},
               {"steals"},
               {"lost"},
               {"parks"}});
  int before = rows.empty() ? 0 : rows.front().workers;
  for (const Row& row : rows) {
    if (row.workers != before) table.AddRule();
    before = row.workers;
    const auto each = [&](std::int64_t count) {
      return Fixed(static_cast<double>(count) / static_cast<double>(row.seconds.size()), 1);
    };
    table.AddRow(
        {std::to_string(row.workers), std::string(ToString(row.variant)),
         std::string(ToString(row.rule.victims)),
         row.rule.candidates > 0 ? std::to_string(row.rule.candidates) : "",
         Fixed(row.gflop_per_s(), 1), std::string(row.is_disturbed ? program::kDagger : ""),
         program::ToText(row.gflop_per_s_spread(), 1),
         row.ratio_to_cutoff.median > 0 ? Fixed(row.ratio_to_cutoff.median, 2) : "",
         each(row.work.spawns), each(row.work.steals), each(row.work.lost), each(row.work.parks)});
  }
  const bool has_dagger =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_disturbed; });
  return table.Render(color) + (has_dagger ? std::string(program::kFootnote) + "\n" : "");
}

// The figure's numbers: a line a number of workers, a column a variant.
std::string Figure3(const std::vector<Row>& rows, program::Color color) {
  std::vector<Table::Column> columns = {{"workers"}};
  for (const std::string& series : Series(rows)) columns.push_back({series});
  Table table(columns);
  for (const int workers : WorkerCounts(rows)) {
    std::vector<std::string> cells = {std::to_string(workers)};
    for (const std::string& series : Series(rows)) {
      const Row* row = Find(rows, series, workers);
      cells.push_back(row == nullptr ? "" : Fixed(row->gflop_per_s(), 1));
    }
    table.AddRow(std::move(cells));
  }
  return "GFLOP/s by workers:\n" + table.Render(color);
}

std::string StealsByDepth(const std::vector<Row>& rows, program::Color color) {
  const std::vector<const Row*> thieves = Thieves(rows);
  std::vector<Table::Column> columns = {{"depth"}};
  for (const Row* row : thieves) columns.push_back({SeriesOf(*row)});
  Table table(columns);
  for (int depth = 0; depth <= DeepestSteal(thieves); ++depth) {
    std::vector<std::string> cells = {std::to_string(depth)};
    for (const Row* row : thieves) cells.push_back(Fixed(row->steals_each_at(depth), 2));
    table.AddRow(std::move(cells));
  }
  return "Steals of one product by depth, " + WorkersText(*thieves.front()) + ":\n" +
         table.Render(color);
}

// With the most workers, simulated ones.
std::string WhereTimeWent(const std::vector<Row>& rows, program::Color color) {
  Table table({{"variant", Table::Align::kLeft},
               {"computing %"},
               {"fetching %"},
               {"threads %"},
               {"stealing %"},
               {"looking %"},
               {"blocks: shared"},
               {"own node"},
               {"others"},
               {"ns / steal"},
               {"extra blocks / steal"}});
  const int most = *WorkerCounts(rows).rbegin();
  const Row* one = nullptr;
  for (const Row& row : rows) {
    if (row.workers != most) continue;
    one = &row;
    const lwt::SimulatedTime& time = row.work.virtual_time;
    const auto share = [&](double part) { return Fixed(100 * part / time.total_ns(), 2); };
    const auto each = [&](std::int64_t blocks) {
      return Fixed(static_cast<double>(blocks) / static_cast<double>(row.seconds.size()), 0);
    };
    table.AddRow(
        {SeriesOf(row), share(time.computing_ns), share(time.fetching_ns), share(time.threads_ns),
         share(time.stealing_ns), share(time.looking_ns), each(time.blocks_from_shared_cache),
         each(time.blocks_from_own_node), each(time.blocks_from_other_nodes),
         row.work.steals > 0 ? Fixed(time.stealing_ns / static_cast<double>(row.work.steals), 0)
                             : "",
         row.extra_blocks_per_steal ? Fixed(*row.extra_blocks_per_steal, 2) : ""});
  }
  return "Where the workers' time went and what was fetched, one product, " + WorkersText(*one) +
         ":\n" + table.Render(color);
}

// Real workers. Empty where one worker was not measured or there were no steals.
std::string LostPerSteal(const std::vector<Row>& rows, program::Color color) {
  Table table({{"workers"}, {"variant", Table::Align::kLeft}, {"steals"}, {"us lost / steal"}});
  bool any = false;
  for (const Row& row : rows) {
    if (!row.lost_ns_per_steal) continue;
    any = true;
    table.AddRow({std::to_string(row.workers), SeriesOf(row), Fixed(row.steals_each(), 1),
                  Fixed(*row.lost_ns_per_steal / 1000, 1)});
  }
  if (!any) return "";
  return "The workers' time beyond one worker's, by steals (a steal costs at most that):\n" +
         table.Render(color);
}

// Whole nanoseconds: fractions are noise.
std::int64_t Whole(double nanoseconds) { return std::llround(nanoseconds); }

void AddVirtualTime(const Row& row, program::Json& json) {
  const lwt::SimulatedTime& time = row.work.virtual_time;
  json["virtual_computing_ns"] = Whole(time.computing_ns);
  json["virtual_fetching_ns"] = Whole(time.fetching_ns);
  json["virtual_threads_ns"] = Whole(time.threads_ns);
  json["virtual_stealing_ns"] = Whole(time.stealing_ns);
  json["virtual_looking_ns"] = Whole(time.looking_ns);
  json["blocks_from_shared_cache"] = time.blocks_from_shared_cache;
  json["blocks_from_own_node"] = time.blocks_from_own_node;
  json["blocks_from_other_nodes"] = time.blocks_from_other_nodes;
  if (row.work.steals > 0) {
    json["virtual_ns_per_steal"] = Rounded(time.stealing_ns / static_cast<double>(row.work.steals));
  }
  if (row.extra_blocks_per_steal) {
    json["extra_blocks_per_steal"] = Rounded(*row.extra_blocks_per_steal);
  }
}

}  // namespace

program::Json ToJson(const Row& row) {
  program::Json json = {{"variant", ToString(row.variant)},
                        {"policy", ToString(row.rule.victims)},
                        {"candidates", row.rule.candidates},
                        {"mode", ToString(row.mode)},
                        {"workers", row.workers},
                        {"seed", row.seed},
                        {"n", row.n},
                        {"gflop_per_s", Rounded(row.gflop_per_s())}};
  if (row.mode == Mode::kSimulated) {
    json["simulated"] = true;
    json["virtual_seconds"] = row.seconds_median();
  } else {
    json["seconds"] = row.seconds_median();
  }
  const program::Spread speeds = row.gflop_per_s_spread();
  json["gflop_per_s_q1"] = Rounded(speeds.q1);
  json["gflop_per_s_q3"] = Rounded(speeds.q3);
  if (const program::Spread& ratio = row.ratio_to_cutoff; ratio.median > 0) {
    json["ratio_to_cutoff"] = Rounded(ratio.median);
    json["ratio_to_cutoff_q1"] = Rounded(ratio.q1);
    json["ratio_to_cutoff_q3"] = Rounded(ratio.q3);
  }
  if (row.mode == Mode::kReal) json["disturbed"] = row.is_disturbed;
  // Of all repetitions together, so that they are whole numbers.
  json["repetitions"] = row.seconds.size();
  json["spawns"] = row.work.spawns;
  json["steals"] = row.work.steals;
  json["steals_by_depth"] = std::vector<std::int64_t>(
      row.work.steals_by_depth.begin(), row.work.steals_by_depth.begin() + row.deepest_steal() + 1);
  json["empty"] = row.work.empty;
  json["lost"] = row.work.lost;
  json["parks"] = row.work.parks;
  if (row.mode == Mode::kSimulated) AddVirtualTime(row, json);
  if (row.lost_ns_per_steal) json["lost_ns_per_steal"] = Rounded(*row.lost_ns_per_steal);
  return json;
}

std::string ToText(const std::vector<Row>& rows, program::Color color) {
  std::string text = AllRows(rows, color);
  if (WorkerCounts(rows).size() > 1) text += "\n" + Figure3(rows, color);
  if (!Thieves(rows).empty()) text += "\n" + StealsByDepth(rows, color);
  if (!rows.empty() && rows.front().mode == Mode::kSimulated) {
    text += "\n" + WhereTimeWent(rows, color);
  }
  const std::string lost = LostPerSteal(rows, color);
  if (!lost.empty()) text += "\n" + lost;
  return text;
}

std::string SpeedToSvg(const std::vector<Row>& rows) {
  const std::string title =
      "Matrix product, " + std::to_string(rows.front().n) + " × " + std::to_string(rows.front().n);
  const auto whisker_of = [](const Row& row) {
    const program::Spread speeds = row.gflop_per_s_spread();
    return program::Whisker{speeds.q1, speeds.q3};
  };
  const auto quality_of = [](const Row& row) {
    return row.is_disturbed ? program::Quality::kDisturbed : program::Quality::kGood;
  };
  if (WorkerCounts(rows).size() == 1) {
    program::BarPlot plot = {.title = title + ", " + WorkersText(rows.front()),
                             .y_label = "GFLOP/s",
                             .groups = {},
                             .bars = {{.name = "GFLOP/s", .values = {}}}};
    for (const Row& row : rows) {
      plot.groups.push_back(SeriesOf(row));
      plot.bars.front().values.push_back(row.gflop_per_s());
      plot.bars.front().whiskers.emplace_back(whisker_of(row));
      plot.bars.front().qualities.push_back(quality_of(row));
    }
    return ToSvg(plot);
  }
  program::LinePlot plot = {
      .title = title,
      .x_label = rows.front().mode == Mode::kSimulated ? "simulated workers" : "workers",
      .y_label = "GFLOP/s",
      .lines = {}};
  for (const std::string& series : Series(rows)) {
    program::Line line = {.name = series, .points = {}};
    for (const int workers : WorkerCounts(rows)) {
      if (const Row* row = Find(rows, series, workers)) {
        line.points.push_back(
            {static_cast<double>(workers), row->gflop_per_s(), whisker_of(*row), quality_of(*row)});
      }
    }
    plot.lines.push_back(std::move(line));
  }
  return ToSvg(plot);
}

std::string StealsToSvg(const std::vector<Row>& rows) {
  const std::vector<const Row*> thieves = Thieves(rows);
  program::BarPlot plot = {.title = "Steals of one product by depth",
                           .x_label = "depth",
                           .y_label = "steals",
                           .groups = {},
                           .bars = {}};
  if (!thieves.empty()) plot.title += ", " + WorkersText(*thieves.front());
  for (int depth = 0; depth <= DeepestSteal(thieves); ++depth) {
    plot.groups.push_back(std::to_string(depth));
  }
  for (const Row* row : thieves) {
    program::Bars bars = {.name = SeriesOf(*row), .values = {}};
    for (int depth = 0; depth <= DeepestSteal(thieves); ++depth) {
      bars.values.push_back(row->steals_each_at(depth));
    }
    plot.bars.push_back(std::move(bars));
  }
  return ToSvg(plot);
}

}  // namespace matmul
