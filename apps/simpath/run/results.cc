#include "apps/simpath/run/results.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "apps/program/bytes.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/program/words.h"

namespace simpath {
namespace {

using Align = program::Table::Align;

std::string NameOf(const Row& row) {
  if (row.mode == Mode::kSequential) return "sequential";
  return absl::StrCat(std::string(topo::ToString(row.policy)), " (",
                      std::string(ToString(row.mode)), ")");
}

constexpr program::Words<ForecastRow::Source> kSources = {
    {ForecastRow::Source::kFormula, "formula"},
    {ForecastRow::Source::kStates, "states"},
    {ForecastRow::Source::kEstimate, "estimate"}};

// "1.23e45" of a number whose logarithm is known.
std::string Power(double log2) {
  const double log10 = log2 * std::log10(2.0);
  if (log10 < 6) return program::Fixed(std::exp2(log2), 0);
  return absl::StrCat(program::Fixed(std::pow(10, log10 - std::floor(log10)), 2), "e",
                      static_cast<int>(std::floor(log10)));
}

std::string Duration(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  for (const Unit unit : {Unit{86400, " days"}, Unit{3600, " h"}, Unit{60, " min"}}) {
    if (seconds > 2 * unit.seconds) {
      return absl::StrCat(program::Fixed(seconds / unit.seconds, 0), unit.name);
    }
  }
  return absl::StrCat(program::Fixed(seconds, seconds < 0.1 ? 3 : 1), " s");
}

std::size_t MostStates(const ForecastRow& row) {
  std::size_t most = 0;
  for (const LevelForecast& level : row.levels) most = std::max(most, level.states);
  return most;
}

std::uint64_t MostBytes(const ForecastRow& row) {
  std::uint64_t most = 0;
  for (const LevelForecast& level : row.levels) most = std::max(most, level.bytes);
  return most;
}

}  // namespace

program::Json ToJson(const Row& row) {
  program::Json json = {{"graph", row.graph},
                        {"mode", std::string(ToString(row.mode))},
                        {"order", row.order},
                        {"policy", std::string(topo::ToString(row.policy))},
                        {"threads", row.threads},
                        {"count", row.count.ToString()},
                        {"rule", std::string(simpath::NameOf(row.rule))},
                        {"all_pairs", row.rule.ends == Ends::kAny},
                        {"directed", row.rule.is_directed()},
                        {"max_length", nullptr},
                        {"moduli", row.moduli},
                        {"max_width", row.max_width},
                        {"forecast_bytes", nullptr},
                        {"seconds", row.seconds()},
                        {"order_seconds", row.order_seconds},
                        {"count_seconds", row.count_seconds},
                        {"check_seconds", row.check_seconds},
                        {"checked", row.checked},
                        {"max_rss_bytes", row.max_rss_bytes}};
  if (row.forecast_bytes) json["forecast_bytes"] = *row.forecast_bytes;
  if (row.max_length) json["max_length"] = *row.max_length;
  return json;
}

program::Json ToJson(const ForecastRow& row) {
  std::uint64_t states = 0;
  int max_width = 0;
  for (const LevelForecast& level : row.levels) {
    states += level.states;
    max_width = std::max(max_width, level.width);
  }
  return {{"graph", row.graph},
          {"mode", "forecast"},
          {"order", row.order},
          {"states", states},
          {"max_states", MostStates(row)},
          {"max_width", max_width},
          {"forecast_bytes", MostBytes(row)},
          {"source", std::string(kSources.Print(row.source))},
          {"states_factor", row.states_factor},
          {"paths_log2", row.paths.samples > 0 ? program::Json(row.paths.log2_paths) : nullptr},
          {"paths_relative_error",
           row.paths.samples > 0 ? program::Json(row.paths.relative_error) : nullptr},
          {"path_samples", row.paths.samples},
          {"seconds", row.seconds}};
}

std::string NounOf(const Row& row) {
  const bool is_one = row.count == Count(1);
  std::string noun = row.rule.visits == Visits::kAllVertices ? "Hamiltonian " : "simple ";
  if (row.rule.is_directed()) noun = "directed " + noun;
  absl::StrAppend(&noun, row.rule.shape == Shape::kCycles ? "cycle" : "path", is_one ? "" : "s");
  if (row.rule.ends == Ends::kAny) absl::StrAppend(&noun, " of all pairs");
  if (row.max_length) {
    absl::StrAppend(&noun, " of at most ", *row.max_length,
                    *row.max_length == 1 ? " edge" : " edges");
  }
  return noun;
}

std::string ToText(const std::vector<Row>& rows, program::Color color) {
  std::string text;
  for (std::size_t begin = 0; begin < rows.size();) {
    const Row& first = rows[begin];
    absl::StrAppend(&text, text.empty() ? "" : "\n", first.graph, ": ", first.count.ToString(), " ",
                    NounOf(first), first.checked ? "" : " (not checked)", "\n\n");
    program::Table table({{"mode", Align::kLeft},
                          {"order", Align::kLeft},
                          {"policy", Align::kLeft},
                          {"threads"},
                          {"moduli"},
                          {"widest frontier"},
                          {"order s"},
                          {"count s"},
                          {"check s"},
                          {"memory MB"}});
    for (; begin < rows.size() && rows[begin].graph == first.graph; ++begin) {
      const Row& row = rows[begin];
      table.AddRow({std::string(ToString(row.mode)), row.order,
                    std::string(topo::ToString(row.policy)), absl::StrCat(row.threads),
                    absl::StrCat(row.moduli), absl::StrCat(row.max_width),
                    program::Fixed(row.order_seconds, 2), program::Fixed(row.count_seconds, 2),
                    program::Fixed(row.check_seconds, 2),
                    program::Fixed(static_cast<double>(row.max_rss_bytes) / 1e6, 0)});
    }
    absl::StrAppend(&text, table.Render(color));
  }
  return text;
}

std::string ToText(const ForecastRow& row, program::Color color) {
  struct OfWidth {
    std::size_t levels = 0, most = 0;
    std::uint64_t states = 0, bytes = 0;
    int bits = 0;
  };
  std::map<int, OfWidth> widths;
  std::uint64_t states = 0;
  for (const LevelForecast& level : row.levels) {
    OfWidth& of = widths[level.width];
    ++of.levels;
    of.states += level.states;
    of.most = std::max(of.most, level.states);
    of.bytes = std::max(of.bytes, level.bytes);
    of.bits = std::max(of.bits, level.count_bits);
    states += level.states;
  }
  program::Table table(
      {{"width"}, {"levels"}, {"states"}, {"most at once"}, {"bits of a count"}, {"MB"}});
  for (const auto& [width, of] : widths) {
    table.AddRow({absl::StrCat(width), absl::StrCat(of.levels), absl::StrCat(of.states),
                  absl::StrCat(of.most), absl::StrCat(of.bits),
                  program::Fixed(static_cast<double>(of.bytes) / 1e6, 1)});
  }
  std::string text = absl::StrCat(row.graph, ", order ", row.order, ": ");
  switch (row.source) {
    case ForecastRow::Source::kFormula:
      absl::StrAppend(&text, "at most ", states);
      break;
    case ForecastRow::Source::kStates:
      absl::StrAppend(&text, states);
      break;
    case ForecastRow::Source::kEstimate:
      absl::StrAppend(&text, "about ", Power(std::log2(static_cast<double>(states))),
                      " states (those of a level within a factor of ",
                      program::Fixed(row.states_factor, 2), ", standard error)");
      break;
  }
  const char* const unit = row.source == ForecastRow::Source::kEstimate ? ""
                           : states == 1                                ? " state"
                                                                        : " states";
  absl::StrAppend(&text, unit, ", at most ",
                  program::FormatBytes(static_cast<double>(MostBytes(row))), " at once, about ",
                  Duration(row.seconds), " by one thread\n");
  if (row.paths.samples > 0) {
    absl::StrAppend(&text, "About ", Power(row.paths.log2_paths), " paths (standard error ",
                    program::Fixed(100 * row.paths.relative_error, 0), " %, from ",
                    row.paths.samples, " random paths).\n");
    // A few heavy samples make the sum then, and the heaviest paths may not be among them.
    constexpr double kFew = 0.3;
    if (row.paths.relative_error > kFew) {
      text += "The samples are too few: the number may be hundreds of times as large.\n";
    }
  }
  return absl::StrCat(text, "\n", table.Render(color));
}

std::string ToSvg(const std::vector<Row>& rows) {
  std::map<std::string, int> graphs;
  for (const Row& row : rows) ++graphs[row.graph];
  const bool by_grid = graphs.size() > 1;
  program::LinePlot plot = {
      .title = by_grid ? "Counting simple paths: seconds by grid"
                       : "Counting simple paths of " + rows.front().graph + ": seconds by threads",
      .x_label = by_grid ? "cells a side" : "threads",
      .y_label = "seconds",
      .x_scale = by_grid ? program::Scale::kLinear : program::Scale::kLog2,
      .lines = {}};
  for (const Row& row : rows) {
    std::string name = NameOf(row);
    if (by_grid && row.mode != Mode::kSequential) {
      absl::StrAppend(&name, ", ", row.threads, row.threads == 1 ? " thread" : " threads");
    }
    auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                             [&](const program::Line& each) { return each.name == name; });
    if (line == plot.lines.end()) line = plot.lines.insert(line, {.name = name, .points = {}});
    line->points.push_back({.x = static_cast<double>(by_grid ? row.grid.value_or(0) : row.threads),
                            .y = row.seconds()});
  }
  return program::ToSvg(plot);
}

}  // namespace simpath
