#include "apps/stream/run/results.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/program/plot.h"
#include "apps/program/spread.h"
#include "apps/program/table.h"

namespace stream {
namespace {

using program::Fixed;
using program::Table;

// Figures to three decimals: more is noise, and makes files hard to compare.
double Rounded(double value) { return std::round(value * 1000) / 1000; }

std::set<int> ThreadCounts(const std::vector<Row>& rows) {
  std::set<int> counts;
  for (const Row& row : rows) counts.insert(row.threads);
  return counts;
}

std::vector<topo::Policy> Policies(const std::vector<Row>& rows) {
  std::vector<topo::Policy> policies;
  for (const Row& row : rows) {
    if (std::find(policies.begin(), policies.end(), row.policy) == policies.end()) {
      policies.push_back(row.policy);
    }
  }
  return policies;
}

const Row* Find(const std::vector<Row>& rows, Kernel kernel, Variant variant, topo::Policy policy,
                int threads) {
  for (const Row& row : rows) {
    if (row.kernel == kernel && row.variant == variant && row.policy == policy &&
        row.threads == threads) {
      return &row;
    }
  }
  return nullptr;
}

// Stores past the cache make the name longer than the code.
std::string CodeName(const Row& row) {
  return row.store == Store::kNonTemporal ? row.code + ", non-temporal" : row.code;
}

std::string RatioText(const program::Spread& ratio) {
  return ratio.median > 0 ? Fixed(ratio.median, 2) : "";
}

program::Quality QualityOf(const Row& row) {
  return row.is_disturbed ? program::Quality::kDisturbed : program::Quality::kGood;
}

// From the slower quartile to the best, which is the figure.
program::Whisker WhiskerOf(const Row& row) { return {row.gb_per_s_spread().q1, row.gb_per_s()}; }

std::string AllRows(const std::vector<Row>& rows, program::Color color) {
  Table table({{"policy", Table::Align::kLeft},
               {"threads"},
               {"kernel", Table::Align::kLeft},
               {"variant", Table::Align::kLeft},
               {"GB/s"},
               {"", Table::Align::kLeft},
               {"quartiles"},
               {"GB/s moved"},
               {"/ plain"},
               {"/ limit"},
               {"placement", Table::Align::kLeft},
               {"pages", Table::Align::kLeft},
               {"code", Table::Align::kLeft}});
  const Row* before = nullptr;
  for (const Row& row : rows) {
    if (before != nullptr && (before->policy != row.policy || before->threads != row.threads)) {
      table.AddRule();
    }
    before = &row;
    table.AddRow({std::string(topo::ToString(row.policy)), std::to_string(row.threads),
                  std::string(ToString(row.kernel)), std::string(ToString(row.variant)),
                  Fixed(row.gb_per_s(), 1), std::string(row.is_disturbed ? program::kDagger : ""),
                  program::ToText(row.gb_per_s_spread(), 1), Fixed(row.gb_per_s_moved(), 1),
                  RatioText(row.ratio_to_plain), RatioText(row.ratio_to_limit),
                  std::string(ToString(row.where)), std::string(ToString(row.pages)),
                  CodeName(row)});
  }
  const bool has_dagger =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_disturbed; });
  return table.Render(color) + (has_dagger ? std::string(program::kFootnote) + "\n" : "");
}

// The figure's numbers: a line a thread count, a column a policy.
std::string Figure8(const std::vector<Row>& rows, program::Color color) {
  std::vector<Table::Column> columns = {{"threads"}};
  for (const topo::Policy policy : Policies(rows)) {
    columns.push_back({std::string(topo::ToString(policy))});
  }
  Table table(columns);
  for (const int threads : ThreadCounts(rows)) {
    std::vector<std::string> cells = {std::to_string(threads)};
    for (const topo::Policy policy : Policies(rows)) {
      const Row* row = Find(rows, Kernel::kTriad, Variant::kTuned, policy, threads);
      cells.push_back(row == nullptr ? "" : Fixed(row->gb_per_s(), 1));
    }
    table.AddRow(std::move(cells));
  }
  return "Triad, tuned, GB/s by policy:\n" + table.Render(color);
}

// One line a configuration would bury the point: the last policy's most threads.
std::string Goals(const std::vector<Row>& rows) {
  std::string text;
  const auto line = [&](const Row& row, const char* against, const program::Spread& ratio,
                        double goal) {
    text += "Triad tuned / " + std::string(against) + " = " + Fixed(ratio.median, 2) + " (" +
            program::ToText(ratio, 2) + "; goal " + Fixed(goal, 2) + ") with " +
            std::to_string(row.threads) + " threads, " + std::string(topo::ToString(row.policy)) +
            (row.is_disturbed ? ", disturbed †\n" : "\n");
  };
  const int most = *ThreadCounts(rows).rbegin();
  for (const topo::Policy policy : Policies(rows)) {
    const Row* row = Find(rows, Kernel::kTriad, Variant::kTuned, policy, most);
    if (row == nullptr) continue;
    line(*row, "plain", row->ratio_to_plain, kGoalToPlain);
    line(*row, "limit", row->ratio_to_limit, kGoalToLimit);
  }
  return text;
}

std::string LinesByThreads(const std::vector<Row>& rows) {
  program::LinePlot plot = {.title = "STREAM Triad by threads and affinity policy",
                            .x_label = "threads",
                            .y_label = "GB/s",
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  const auto add = [&](const std::string& name, Variant variant, topo::Policy policy) {
    program::Line line = {.name = name, .points = {}};
    for (const int threads : ThreadCounts(rows)) {
      if (const Row* row = Find(rows, Kernel::kTriad, variant, policy, threads)) {
        line.points.push_back(
            {static_cast<double>(threads), row->gb_per_s(), WhiskerOf(*row), QualityOf(*row)});
      }
    }
    plot.lines.push_back(std::move(line));
  };
  for (const topo::Policy policy : Policies(rows)) {
    add(std::string(topo::ToString(policy)), Variant::kTuned, policy);
  }
  const topo::Policy first = Policies(rows).front();
  const std::string suffix = " (" + std::string(topo::ToString(first)) + ")";
  add("plain" + suffix, Variant::kPlain, first);
  add("limit" + suffix, Variant::kLimit, first);
  return ToSvg(plot);
}

std::string BarsByKernel(const std::vector<Row>& rows) {
  const int threads = *ThreadCounts(rows).begin();
  program::BarPlot plot = {
      .title = "STREAM with " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
      .x_label = "kernel",
      .y_label = "GB/s",
      .groups = {},
      .bars = {}};
  for (const Kernel kernel : kKernels) plot.groups.emplace_back(ToString(kernel));
  const auto add = [&](const std::string& name, Variant variant, topo::Policy policy) {
    program::Bars bars = {.name = name, .values = {}};
    for (const Kernel kernel : kKernels) {
      if (const Row* row = Find(rows, kernel, variant, policy, threads)) {
        bars.values.push_back(row->gb_per_s());
        bars.whiskers.emplace_back(WhiskerOf(*row));
        bars.qualities.push_back(QualityOf(*row));
      }
    }
    plot.bars.push_back(std::move(bars));
  };
  for (const topo::Policy policy : Policies(rows)) {
    add(std::string(topo::ToString(policy)), Variant::kTuned, policy);
  }
  const topo::Policy first = Policies(rows).front();
  add("plain (" + std::string(topo::ToString(first)) + ")", Variant::kPlain, first);
  return ToSvg(plot);
}

}  // namespace

program::Json ToJson(const Row& row) {
  program::Json json = {{"kernel", ToString(row.kernel)},
                        {"variant", ToString(row.variant)},
                        {"policy", topo::ToString(row.policy)},
                        {"threads", row.threads},
                        {"placement", ToString(row.where)},
                        {"pages", ToString(row.pages)},
                        {"runtime", ToString(row.runtime)},
                        {"store", ToString(row.store)},
                        {"code", row.code},
                        {"gb_per_s", Rounded(row.gb_per_s())},
                        {"gb_per_s_moved", Rounded(row.gb_per_s_moved())},
                        {"seconds_min", row.seconds_min()},
                        {"seconds_median", row.seconds_median()}};
  const auto add = [&](const std::string& key, const program::Spread& spread) {
    json[key + "_q1"] = Rounded(spread.q1);
    json[key + "_q3"] = Rounded(spread.q3);
  };
  const auto add_ratio = [&](const std::string& key, const program::Spread& ratio) {
    if (ratio.median <= 0) return;
    json[key] = Rounded(ratio.median);
    add(key, ratio);
  };
  add("gb_per_s", row.gb_per_s_spread());
  add_ratio("ratio_to_plain", row.ratio_to_plain);
  add_ratio("ratio_to_limit", row.ratio_to_limit);
  json["repetitions"] = row.seconds.size();
  json["disturbed"] = row.is_disturbed;
  return json;
}

std::string ToText(const std::vector<Row>& rows, program::Color color) {
  std::string text = AllRows(rows, color) + "\n";
  if (ThreadCounts(rows).size() > 1 || Policies(rows).size() > 1) {
    text += Figure8(rows, color) + "\n";
  }
  return text + Goals(rows);
}

std::string ToSvg(const std::vector<Row>& rows) {
  return ThreadCounts(rows).size() > 1 ? LinesByThreads(rows) : BarsByKernel(rows);
}

}  // namespace stream
