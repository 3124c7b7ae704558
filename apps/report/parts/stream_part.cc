#include <algorithm>
#include <string>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts/parts.h"
#include "apps/report/rows/measured.h"

namespace report {
namespace {

using program::Fixed;

// Rows of all runs that have these values.
std::vector<Json> RowsWhere(const std::vector<Run>& runs, const std::string& kernel,
                            const std::string& variant) {
  std::vector<Json> rows;
  for (const Run& run : runs) {
    for (const Json& row : run.results) {
      if (TextOf(row, "kernel") == kernel && TextOf(row, "variant") == variant) rows.push_back(row);
    }
  }
  return rows;
}

std::vector<std::string> ThreadCounts(const std::vector<Json>& rows) {
  std::vector<std::string> counts = Values(rows, "threads");
  std::sort(counts.begin(), counts.end(), [](const std::string& a, const std::string& b) {
    return std::atoi(a.c_str()) < std::atoi(b.c_str());
  });
  return counts;
}

const Json* Find(const std::vector<Json>& rows, const std::string& policy,
                 const std::string& threads) {
  for (const Json& row : rows) {
    if (TextOf(row, "policy") == policy && TextOf(row, "threads") == threads) return &row;
  }
  return nullptr;
}

// The paper's figure 8, as numbers and as lines or bars.
std::string Figure8(const std::vector<Run>& runs) {
  const std::vector<Json> tuned = RowsWhere(runs, "triad", "tuned");
  const std::vector<std::string> policies = Values(tuned, "policy");
  const std::vector<std::string> counts = ThreadCounts(tuned);
  std::vector<HtmlColumn> columns = {{"threads", HtmlColumn::Kind::kNumber}};
  program::LinePlot lines = {.title = "STREAM Triad by threads and affinity policy",
                             .x_label = "threads",
                             .y_label = "GB/s",
                             .x_scale = program::Scale::kLog2,
                             .lines = {}};
  std::vector<std::vector<std::string>> table;
  std::vector<Json> shown;
  for (const std::string& count : counts) table.push_back({count});

  const auto add = [&](const std::string& name, const std::vector<Json>& rows,
                       const std::string& policy) {
    columns.push_back({name + ", GB/s", HtmlColumn::Kind::kNumber});
    program::Line line{name, {}};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Json* row = Find(rows, policy, counts[i]);
      table[i].push_back(row == nullptr ? "" : FigureOf(*row, "gb_per_s", {}));
      if (row != nullptr) {
        line.points.push_back({std::atof(counts[i].c_str()), NumberOf(*row, "gb_per_s"),
                               WhiskerOf(*row, "gb_per_s", 1), QualityOf(*row)});
        shown.push_back(*row);
      }
    }
    lines.lines.push_back(std::move(line));
  };
  for (const std::string& policy : policies) add(policy, tuned, policy);
  add("plain (" + policies.front() + ")", RowsWhere(runs, "triad", "plain"), policies.front());
  add("limit (" + policies.front() + ")", RowsWhere(runs, "triad", "limit"), policies.front());

  return Heading("Triad by threads and policy (the paper's figure 8)") + "<figure>" + ToSvg(lines) +
         "</figure>\n" + HtmlTable(columns, table, FootnoteOf(shown));
}

std::string AllRows(const Run& run) {
  using Kind = HtmlColumn::Kind;
  const std::vector<HtmlColumn> columns = {{"policy", Kind::kWord},
                                           {"threads", Kind::kNumber},
                                           {"kernel", Kind::kWord},
                                           {"variant", Kind::kWord},
                                           {"GB/s", Kind::kNumber},
                                           {"quartiles", Kind::kNumber},
                                           {"GB/s moved", Kind::kNumber},
                                           {"÷ plain", Kind::kNumber},
                                           {"its quartiles", Kind::kNumber},
                                           {"÷ limit", Kind::kNumber},
                                           {"its quartiles", Kind::kNumber},
                                           {"placement", Kind::kWord},
                                           {"pages", Kind::kWord},
                                           {"stores", Kind::kWord},
                                           {"code", Kind::kWord},
                                           {"threads by", Kind::kWord}};
  const Format ratio = {.digits = 2};
  std::vector<std::vector<std::string>> cells;
  for (const Json& row : run.results) {
    cells.push_back(
        {TextOf(row, "policy"), TextOf(row, "threads"), TextOf(row, "kernel"),
         TextOf(row, "variant"), FigureOf(row, "gb_per_s", {}), QuartilesOf(row, "gb_per_s", {}),
         Fixed(NumberOf(row, "gb_per_s_moved"), 1), FigureOf(row, "ratio_to_plain", ratio),
         QuartilesOf(row, "ratio_to_plain", ratio), FigureOf(row, "ratio_to_limit", ratio),
         QuartilesOf(row, "ratio_to_limit", ratio), TextOf(row, "placement"), TextOf(row, "pages"),
         TextOf(row, "store"), TextOf(row, "code"), TextOf(row, "runtime")});
  }
  return HtmlTable(columns, cells, FootnoteOf({run.results.begin(), run.results.end()}));
}

// The fastest Triad, and how it stands to the other two at that place.
std::vector<Headline> Headlines(const std::vector<Json>& tuned) {
  const Json& best = *BestOf(tuned, "gb_per_s");
  const std::string where = TextOf(best, "policy") + ", " + TextOf(best, "threads") +
                            (TextOf(best, "threads") == "1" ? " thread" : " threads");
  const Format ratio = {.digits = 2};
  return {{FigureOf(best, "gb_per_s", {}) + " GB/s", "STREAM Triad, tuned: " + where,
           SpreadInWords(best, "gb_per_s", {})},
          {FigureOf(best, "ratio_to_plain", ratio) + " ×",
           "of stream.c's own loop at the same moment (goal 1.5)",
           SpreadInWords(best, "ratio_to_plain", ratio)},
          {FigureOf(best, "ratio_to_limit", ratio) + " ×",
           "of what a bare memory loop reaches (goal 0.95)",
           SpreadInWords(best, "ratio_to_limit", ratio)}};
}

}  // namespace

absl::StatusOr<Section> StreamPart(const std::vector<Run>& runs) {
  const std::vector<Json> tuned = RowsWhere(runs, "triad", "tuned");
  if (tuned.empty()) {
    return absl::InvalidArgumentError(runs[0].path +
                                      ": expected a result of kernel triad, variant tuned");
  }
  Section section{.id = "stream",
                  .title = "stream: memory bandwidth",
                  .summary =
                      "STREAM's kernels by threads and affinity policy, beside stream.c's "
                      "own loop and the memory's limit: see where a policy gains bandwidth.",
                  .html = "",
                  .headlines = Headlines(tuned)};
  section.html += Paragraph(
      "GB/s counts the bytes that a kernel names (1 GB = 10⁹ bytes, best time). \"Moved\" also "
      "counts the line that "
      "an ordinary store reads before it writes. Kernels are tuned in the sense of STREAM's rules: "
      "they are not those of stream.c, which are the plain rows.");
  section.html += Figure8(runs);
  section.html += Heading("All rows");
  for (const Run& run : runs) section.html += AllRows(run);
  section.html += Reproduce(CommandsOf(runs));
  return section;
}

}  // namespace report
