#include "apps/bfs/run/results.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/bfs/run/graph500_text.h"
#include "apps/bfs/run/statistics.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"

namespace bfs {
namespace {

using program::Fixed;

Graph500Run RunOf(const Row& row) {
  Graph500Run run = {.scale = row.scale,
                     .edge_factor = row.tuples / row.vertices,
                     .generation_seconds = row.generation_seconds,
                     .construction_seconds = row.construction_seconds,
                     .seconds = {},
                     .tuples = {},
                     .validation_seconds = {}};
  for (const Searched& each : row.searched) {
    run.seconds.push_back(each.seconds);
    run.tuples.push_back(static_cast<double>(each.component.tuples));
    run.validation_seconds.push_back(each.validation_seconds);
  }
  return run;
}

struct Figures {
  Statistics seconds;
  RateStatistics teps;
};

Figures FiguresOf(const Row& row) {
  const Graph500Run run = RunOf(row);
  return {StatisticsOf(run.seconds), TepsOf(run.tuples, run.seconds)};
}

// The fast search's lists are bound to its threads' nodes, the plain one's are where construction
// wrote them.
std::string PlacementOf(const Row& row) {
  if (!row.binds) return "unbound";
  return row.variant == Variant::kFast && row.policy != topo::Policy::kNone ? "local"
                                                                            : "first touch";
}

std::string NameOf(const Row& row) {
  return std::string(ToString(row.variant)) +
         (row.labels == Labels::kInternal ? ", internal labels" : "");
}

std::string_view ToString(Direction direction) {
  return direction == Direction::kTopDown ? "top-down" : "bottom-up";
}

std::string Counted(std::int64_t count, const char* noun, const char* plural) {
  return absl::StrCat(count, " ", count == 1 ? noun : plural);
}

program::Json ToJson(const Searched& search, const graph::Ids& ids) {
  program::Json levels = program::Json::array();
  for (const Step& step : search.steps) {
    levels.push_back({{"direction", ToString(step.direction)},
                      {"frontier", step.frontier},
                      {"seconds", step.seconds}});
  }
  program::Json json = {{"root", ids.of(search.root)},
                        {"seconds", search.seconds},
                        {"validation_seconds", search.validation_seconds},
                        {"depth", search.component.depth},
                        {"reached", search.component.vertices},
                        {"tuples", search.component.tuples},
                        {"levels", std::move(levels)}};
  if (search.levels > search.steps.size()) {
    json["levels_left_out"] = search.levels - search.steps.size();
  }
  return json;
}

}  // namespace

program::Json ToJson(const Row& row) {
  const Figures figures = FiguresOf(row);
  program::Json json = {
      {"graph", row.graph},
      {"variant", ToString(row.variant)},
      {"scale", row.scale ? program::Json(*row.scale) : program::Json(nullptr)},
      {"vertices", row.vertices},
      {"edges", row.tuples},
      {"direction", ToString(row.ways)},
      {"keys", row.searched.size()},
      {"labels", ToString(row.labels)},
      {"policy", topo::ToString(row.policy)},
      {"placement", PlacementOf(row)},
      {"threads", row.threads},
      {"ranks", 1},
      {"generation_seconds", row.generation_seconds},
      {"construction_seconds", row.construction_seconds},
      {"seconds_median", figures.seconds.median},
      {"seconds_median_q1", figures.seconds.first_quartile},
      {"seconds_median_q3", figures.seconds.third_quartile},
      {"teps_harmonic_mean", figures.teps.harmonic_mean},
      {"teps_harmonic_stddev", figures.teps.harmonic_stddev},
      {"teps_median", figures.teps.median},
      {"teps_median_q1", figures.teps.first_quartile},
      {"teps_median_q3", figures.teps.third_quartile},
      {"bytes_per_tuple", row.tuples > 0 ? program::Json(static_cast<double>(row.adjacency_bytes) /
                                                         static_cast<double>(row.tuples))
                                         : program::Json(nullptr)},
      {"max_rss_bytes", row.max_rss_bytes},
      {"validated", true}};
  program::Json& searches = json["searches"] = program::Json::array();
  for (const Searched& search : row.searched) searches.push_back(ToJson(search, *row.ids));
  return json;
}

std::string ToSvg(const std::vector<Row>& rows) {
  program::LinePlot plot = {.title = "Breadth-first search: TEPS by threads and affinity policy",
                            .x_label = "threads",
                            .y_label = "GTEPS, median of the keys",
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  for (const Row& row : rows) {
    std::string name(topo::ToString(row.policy));
    if (row.variant != Variant::kFast || row.labels != Labels::kOriginal) {
      name += " (" + NameOf(row) + ")";
    }
    auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                             [&](const program::Line& each) { return each.name == name; });
    if (line == plot.lines.end()) line = plot.lines.insert(line, {.name = name, .points = {}});
    const RateStatistics teps = FiguresOf(row).teps;
    line->points.push_back(
        {.x = static_cast<double>(row.threads),
         .y = teps.median / 1e9,
         .whisker = program::Whisker{teps.first_quartile / 1e9, teps.third_quartile / 1e9}});
  }
  return program::ToSvg(plot);
}

std::string ToTable(const std::vector<Row>& rows, program::Color color) {
  program::Table table({{"search", program::Table::Align::kLeft},
                        {"policy", program::Table::Align::kLeft},
                        {"threads"},
                        {"keys"},
                        {"median ms"},
                        {"quartiles"},
                        {"harmonic mean MTEPS"},
                        {"construction s"},
                        {"validated", program::Table::Align::kLeft}});
  for (const Row& row : rows) {
    const Figures figures = FiguresOf(row);
    table.AddRow(
        {NameOf(row), std::string(topo::ToString(row.policy)) + (row.binds ? "" : " (unbound)"),
         absl::StrCat(row.threads), absl::StrCat(row.searched.size()),
         Fixed(figures.seconds.median * 1e3, 3),
         Fixed(figures.seconds.first_quartile * 1e3, 3) + " – " +
             Fixed(figures.seconds.third_quartile * 1e3, 3),
         Fixed(figures.teps.harmonic_mean / 1e6, 1), Fixed(row.construction_seconds, 2), "yes"});
  }
  return table.Render(color);
}

std::string ToText(const Row& row, program::Color color) {
  const std::string arcs =
      row.ways == Ways::kAlongArcs
          ? "arcs are searched along their direction (--symmetrize: both ways)\n"
      : row.ways == Ways::kBothWays ? "arcs are searched both ways (--symmetrize)\n"
                                    : "";
  const Searched& first = row.searched.front();
  program::Table steps(
      {{"level"}, {"direction", program::Table::Align::kLeft}, {"frontier"}, {"ms"}});
  constexpr std::size_t kShown = 20;  // A road has thousands.
  for (std::size_t i = 0; i < std::min(kShown, first.steps.size()); ++i) {
    const Step& step = first.steps[i];
    steps.AddRow({absl::StrCat(i), std::string(ToString(step.direction)),
                  absl::StrCat(step.frontier), Fixed(step.seconds * 1e3, 3)});
  }
  std::string text = absl::StrCat(
      arcs, "the search from ", row.ids->of(first.root), ": ", first.component.vertices,
      " vertices, ", Counted(first.component.tuples, "tuple", "tuples"), "\n", steps.Render(color),
      first.levels > kShown ? absl::StrCat("and ", first.levels - kShown, " more levels\n") : "",
      "\n");
  return text + ToGraph500Text(RunOf(row));
}

}  // namespace bfs
