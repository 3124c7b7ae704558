#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"
#include "apps/report/rows/seconds.h"

namespace report {
namespace {

using program::Fixed;
using Kind = HtmlColumn::Kind;
using Rows = std::vector<Json>;

constexpr Format kSeconds = {.digits = 3};
constexpr Format kMilliseconds = {.digits = 2, .scale = 1000};

// A value: rows of each kind, none of which stands beside another's.
struct Kinds {
  Rows solved, simulated;  // the latter in virtual time
  Rows elements;
};

double TimesOf(const Json& slower, const Json& faster) {
  return NumberOf(slower, "seconds") / NumberOf(faster, "seconds");
}

// "1.2e-09": how small it is, not which digits it has.
std::string Magnitude(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

// Rows of an infeasible problem have a proof in place of a solution.
bool IsProof(const Json& row) { return row.contains("proof_residual"); }

// The objective, or nothing where it is proved that there is none.
std::string ObjectiveOf(const Json& row) {
  if (IsProof(row)) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", NumberOf(row, "primal"));
  return text;
}

// The largest of the six DIMACS errors; of a proof how wrong its equations are.
std::string ErrorOf(const Json& row) {
  if (IsProof(row)) return Magnitude(NumberOf(row, "proof_residual")) + " (of the proof)";
  double largest = 0;
  for (const Json& error : row.at("dimacs")) {
    if (error.is_number()) largest = std::max(largest, std::abs(error.get<double>()));
  }
  return Magnitude(largest);
}

// "dense", "sparse, dd", "dense, opencl:1": how it was solved.
std::string WayOf(const Json& row) {
  std::string way = TextOf(row, "schur");
  for (const auto& [key, usual] :
       {std::pair("precision", "double"), std::pair("devices", "host")}) {
    if (TextOf(row, key) != usual) way += ", " + TextOf(row, key);
  }
  return way;
}

std::string TableOf(const Rows& rows, bool is_simulated) {
  std::vector<HtmlColumn> columns = {{"problem", Kind::kWord},
                                     {"constraints", Kind::kNumber},
                                     {"outcome", Kind::kWord},
                                     {is_simulated ? "virtual seconds" : "seconds", Kind::kNumber},
                                     {"iterations", Kind::kNumber},
                                     {"objective", Kind::kNumber},
                                     {"largest DIMACS error", Kind::kNumber},
                                     {"threads", Kind::kNumber}};
  for (const char* const head : {"to devices", "to the host", "across"}) {
    if (is_simulated) columns.push_back({head, Kind::kNumber});
  }
  columns.push_back(is_simulated ? HtmlColumn{"devices", Kind::kWord}
                                 : HtmlColumn{"Schur complement", Kind::kWord});
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : rows) {
    cells.push_back({TextOf(row, "instance"), TextOf(row, "m"), TextOf(row, "phase"),
                     FigureOf(row, is_simulated ? "virtual_seconds" : "seconds", kSeconds),
                     TextOf(row, "iterations"), ObjectiveOf(row), ErrorOf(row),
                     TextOf(row, "threads")});
    for (const char* const key : {"copies_h2d", "copies_d2h", "copies_d2d"}) {
      if (is_simulated) cells.back().push_back(TextOf(row, key));
    }
    cells.back().push_back(is_simulated ? TextOf(row, "devices") : WayOf(row));
  }
  return HtmlTable(columns, cells);
}

// Of one run of each problem, that with the most threads: elements, factorization and all else.
std::string SplitOf(const Rows& solved) {
  program::Bars elements = {.name = "elements", .values = {}};
  program::Bars cholesky = {.name = "factorization", .values = {}};
  program::Bars rest = {.name = "all else", .values = {}};
  program::BarPlot plot = {
      .title = "What the time was spent on", .y_label = "seconds", .groups = {}, .bars = {}};
  for (const std::string& problem : Values(solved, "instance")) {
    const Rows of_problem = RowsWhere(solved, "instance", problem);
    const Json row = RowsWhere(of_problem, "threads", MostThreadsOf(of_problem)).front();
    // A proof takes no time that a bar would show.
    constexpr double kLeastSeconds = 0.01;
    if (NumberOf(row, "seconds") < kLeastSeconds) continue;
    if (row.at("cholesky_seconds").is_null()) continue;  // devices factored, and were not timed
    const double threads = std::max(1.0, NumberOf(row, "threads"));
    plot.groups.push_back(problem);
    elements.values.push_back(NumberOf(row, "elements_seconds") / threads);
    cholesky.values.push_back(NumberOf(row, "cholesky_seconds") / threads);
    rest.values.push_back(
        std::max(0.0, NumberOf(row, "seconds") - elements.values.back() - cholesky.values.back()));
  }
  if (plot.groups.empty()) return "";
  plot.bars = {elements, cholesky, rest};
  return Heading("What the time was spent on") + "<figure>" + ToSvg(plot) + "</figure>\n" +
         Paragraph(
             "Elements of the Schur complement's matrix and its factorization are the paper's "
             "ELEMENTS and CHOLESKY: seconds of all threads over their number.");
}

// A value: the same problem, threads, policy and placement by both methods.
struct Pair {
  Json formulas, terms;
};

std::vector<Pair> PairsOf(const Rows& elements) {
  std::vector<Pair> pairs;
  for (const Json& formulas : RowsWhere(elements, "method", "formulas")) {
    Rows terms = RowsWhere(elements, "method", "terms");
    for (const char* const key : {"instance", "threads", "policy", "placement"}) {
      terms = RowsWhere(terms, key, TextOf(formulas, key));
    }
    if (!terms.empty()) pairs.push_back({formulas, terms.front()});
  }
  return pairs;
}

// The paper's figure 14 and what is done instead; nothing where not both were measured.
std::string Figure14(const std::vector<Pair>& pairs) {
  if (pairs.empty()) return "";
  program::Bars formulas = {.name = "formulas", .values = {}};
  program::Bars terms = {.name = "terms", .values = {}};
  program::BarPlot plot = {.title = "The elements of one iteration, by both methods",
                           .y_label = "milliseconds",
                           .groups = {},
                           .bars = {}};
  std::vector<std::vector<std::string>> cells;
  for (const Pair& pair : pairs) {
    plot.groups.push_back(TextOf(pair.terms, "instance") + ", " + ThreadsOf(pair.terms));
    formulas.values.push_back(NumberOf(pair.formulas, "seconds") * kMilliseconds.scale);
    terms.values.push_back(NumberOf(pair.terms, "seconds") * kMilliseconds.scale);
    cells.push_back({TextOf(pair.terms, "instance"), TextOf(pair.terms, "threads"),
                     FigureOf(pair.formulas, "seconds", kMilliseconds),
                     FigureOf(pair.terms, "seconds", kMilliseconds),
                     Fixed(TimesOf(pair.formulas, pair.terms), 2),
                     TextOf(pair.terms, "policy") + ", " + TextOf(pair.terms, "placement")});
  }
  plot.bars = {formulas, terms};
  return Heading("Elements by formulas and by terms (the paper's figure 14)") +
         Paragraph(
             "The paper's loop chooses a formula F1, F2 or F3 for each element; by terms, "
             "constraints are sums of products of vectors, and what many elements share is "
             "computed once.") +
         "<figure>" + ToSvg(plot) + "</figure>\n" +
         HtmlTable({{"problem", Kind::kWord},
                    {"threads"},
                    {"formulas, ms"},
                    {"terms, ms"},
                    {"ratio"},
                    {"policy, placement", Kind::kWord}},
                   cells);
}

// Figures 15 and 16 are of a problem whose matrix is full and of one whose matrix is sparse.
std::string FigureNumber(const Rows& of_problem) {
  return TextOf(of_problem.front(), "schur") == "sparse" ? "16" : "15";
}

std::string ByThreads(const std::string& problem, const std::string& series,
                      const std::string& what, const Rows& rows) {
  return LinesBy(
      series,
      {.title = problem + ": milliseconds of the elements by threads and " + what,
       .x_label = "threads",
       .y_label = "milliseconds",
       .x_scale = program::Scale::kLog2,
       .lines = {}},
      rows, [](const Json& row) { return NumberOf(row, "threads"); }, "ms", kMilliseconds);
}

// The paper's figures 15 and 16, of one problem: by policy, and by placement of the data under the
// policy of the fastest row. Nothing where it was measured by one number of threads.
std::string Figures15And16(const std::string& problem, const Rows& terms) {
  if (Values(terms, "threads").size() < 2) return "";
  std::string html = Heading("Elements by threads, " + problem + " (the paper's figure " +
                             FigureNumber(terms) + ")");
  html += ByThreads(problem, "policy", "affinity policy",
                    RowsWhere(terms, "placement", TextOf(terms.front(), "placement")));
  const std::string policy = TextOf(*FastestOf(terms), "policy");
  const Rows of_policy = RowsWhere(terms, "policy", policy);
  if (Values(of_policy, "placement").size() > 1) {
    html += ByThreads(problem, "placement", "placement, policy " + policy, of_policy);
  }
  return html;
}

std::string AllElements(const Rows& elements) {
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : elements) {
    cells.push_back({TextOf(row, "instance"), TextOf(row, "threads"),
                     FigureOf(row, "seconds", kMilliseconds), TextOf(row, "policy"),
                     TextOf(row, "placement"), TextOf(row, "method"),
                     Magnitude(NumberOf(row, "largest_error"))});
  }
  return Heading("All rows of elements") + HtmlTable({{"problem", Kind::kWord},
                                                      {"threads"},
                                                      {"ms"},
                                                      {"policy", Kind::kWord},
                                                      {"placement", Kind::kWord},
                                                      {"method", Kind::kWord},
                                                      {"largest error"}},
                                                     cells);
}

// What figures 15 and 16 show, of one problem: whether threads help, and which policy is fastest.
std::string ThreadsInWords(const std::string& problem, const Rows& terms) {
  const auto one = FastestOf(RowsWhere(terms, "threads", "1"));
  const auto most = FastestOf(RowsWhere(terms, "threads", MostThreadsOf(terms)));
  if (!one || ThreadsOf(*one) == ThreadsOf(*most)) return "";
  const double times = TimesOf(*one, *most);
  return "The elements of " + problem + " take " + FigureOf(*one, "seconds", kMilliseconds) +
         " ms by one thread and " + FigureOf(*most, "seconds", kMilliseconds) + " ms by " +
         ThreadsOf(*most) + (times >= 1 ? ", " : ", which is slower, ") + Fixed(times, 2) +
         " ×, by policy " + TextOf(*most, "policy") + ". ";
}

std::vector<Headline> HeadlinesOf(const Kinds& rows, const std::vector<Pair>& pairs) {
  std::vector<Headline> headlines;
  const auto larger = [](const Json& a, const Json& b) {
    return NumberOf(a, "m") < NumberOf(b, "m");
  };
  const auto largest = std::max_element(rows.solved.begin(), rows.solved.end(), larger);
  if (largest != rows.solved.end()) {
    const std::string problem = TextOf(*largest, "instance");
    const Json best = *FastestOf(RowsWhere(rows.solved, "instance", problem));
    headlines.push_back({FigureOf(best, "seconds", kSeconds) + " s",
                         "for the semidefinite program " + problem + " of " + TextOf(best, "m") +
                             " constraints: " + TextOf(best, "phase") + ", " + ThreadsOf(best),
                         "measured once"});
  }
  // The one that takes the longest.
  const auto longest =
      std::max_element(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return NumberOf(a.formulas, "seconds") < NumberOf(b.formulas, "seconds");
      });
  if (longest != pairs.end()) {
    headlines.push_back({Fixed(TimesOf(longest->formulas, longest->terms), 2) + " ×",
                         "faster elements by terms than by the paper's formulas: " +
                             TextOf(longest->terms, "instance") + ", " +
                             ThreadsOf(longest->terms)});
  }
  return headlines;
}

}  // namespace

absl::StatusOr<Section> SdpaPart(const std::vector<Run>& runs) {
  Kinds rows;
  for (const Run& run : runs) {
    for (const Json& row : run.results) {
      const std::string mode = TextOf(row, "mode");
      if (mode != "solve" && mode != "elements") {
        return absl::InvalidArgumentError(run.path +
                                          ": expected results of the modes solve and elements");
      }
      (mode == "elements"          ? rows.elements
       : row.contains("simulated") ? rows.simulated
                                   : rows.solved)
          .push_back(row);
    }
  }
  const std::vector<Pair> pairs = PairsOf(rows.elements);
  const Rows by_terms = RowsWhere(rows.elements, "method", "terms");
  Section section{.id = "sdpa",
                  .title = "sdpa: semidefinite programs",
                  .summary =
                      "Made problems of the families that public collections have, solved by an "
                      "interior-point method: see how good the certified answers are, what the "
                      "time is spent on, and what threads, affinity policies and placements bring "
                      "to the elements of the Schur complement.",
                  .html = "",
                  .headlines = HeadlinesOf(rows, pairs)};
  std::string words;
  for (const std::string& problem : Values(by_terms, "instance")) {
    words += ThreadsInWords(problem, RowsWhere(by_terms, "instance", problem));
  }
  section.html += Paragraph(
      words +
      "Each solution was certified by what the solver does not use: residuals and objectives in "
      "long double, X and Y by factorization; where there is none, the proof was. Problems were "
      "solved once, on " +
      TextOf(runs[0].machine, "topology") + "; times of elements are medians of repetitions.");
  if (!rows.solved.empty()) {
    section.html += Heading("What was solved") + TableOf(rows.solved, false) + SplitOf(rows.solved);
  }
  section.html += Figure14(pairs);
  for (const std::string& problem : Values(by_terms, "instance")) {
    section.html += Figures15And16(problem, RowsWhere(by_terms, "instance", problem));
  }
  if (!rows.elements.empty()) section.html += AllElements(rows.elements);
  if (!rows.simulated.empty()) {
    section.html +=
        Heading("On simulated devices") +
        Paragraph(
            "The Schur complement is factored by devices that do not exist: what is copied is "
            "decided as for real ones, and time is virtual.") +
        TableOf(rows.simulated, true);
  }
  section.html += Reproduce(CommandsOf(runs));
  return section;
}

}  // namespace report
