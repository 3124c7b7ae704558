#include <algorithm>
#include <string>

#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/report/parts.h"

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
  for (const std::string& count : counts) table.push_back({count});

  const auto add = [&](const std::string& name, const std::vector<Json>& rows,
                       const std::string& policy) {
    columns.push_back({name + ", GB/s", HtmlColumn::Kind::kNumber});
    program::Line line{name, {}};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Json* row = Find(rows, policy, counts[i]);
      table[i].push_back(row == nullptr ? "" : Fixed(NumberOf(*row, "gb_per_s"), 1));
      if (row != nullptr) {
        line.points.push_back({std::atof(counts[i].c_str()), NumberOf(*row, "gb_per_s")});
      }
    }
    lines.lines.push_back(std::move(line));
  };
  for (const std::string& policy : policies) add(policy, tuned, policy);
  add("plain (" + policies.front() + ")", RowsWhere(runs, "triad", "plain"), policies.front());
  add("limit (" + policies.front() + ")", RowsWhere(runs, "triad", "limit"), policies.front());

  return Heading("Triad by threads and policy (the paper's figure 8)") + "<figure>" + ToSvg(lines) +
         "</figure>\n" + HtmlTable(columns, table);
}

std::string AllRows(const Run& run) {
  using Kind = HtmlColumn::Kind;
  const std::vector<std::pair<std::string, HtmlColumn>> keys = {
      {"policy", {"policy", Kind::kWord}},
      {"threads", {"threads", Kind::kNumber}},
      {"kernel", {"kernel", Kind::kWord}},
      {"variant", {"variant", Kind::kWord}},
      {"gb_per_s", {"GB/s", Kind::kNumber}},
      {"gb_per_s_moved", {"GB/s moved", Kind::kNumber}},
      {"ratio_to_plain", {"÷ plain", Kind::kNumber}},
      {"ratio_to_limit", {"÷ limit", Kind::kNumber}},
      {"placement", {"placement", Kind::kWord}},
      {"pages", {"pages", Kind::kWord}},
      {"store", {"stores", Kind::kWord}},
      {"code", {"code", Kind::kWord}},
      {"runtime", {"threads by", Kind::kWord}}};
  std::vector<HtmlColumn> columns;
  for (const auto& [key, column] : keys) columns.push_back(column);
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : run.results) {
    std::vector<std::string> cells;
    for (const auto& [key, column] : keys) cells.push_back(TextOf(row, key));
    rows.push_back(std::move(cells));
  }
  return HtmlTable(columns, rows);
}

// The fastest Triad, and how it stands to the other two at that place.
std::vector<Headline> Headlines(const std::vector<Json>& tuned) {
  const Json& best =
      *std::max_element(tuned.begin(), tuned.end(), [](const Json& a, const Json& b) {
        return NumberOf(a, "gb_per_s") < NumberOf(b, "gb_per_s");
      });
  const std::string where = TextOf(best, "policy") + ", " + TextOf(best, "threads") +
                            (TextOf(best, "threads") == "1" ? " thread" : " threads");
  return {{Fixed(NumberOf(best, "gb_per_s"), 1) + " GB/s", "STREAM Triad, tuned: " + where},
          {Fixed(NumberOf(best, "ratio_to_plain"), 2) + " ×",
           "of stream.c's own loop at the same moment (goal 1.5)"},
          {Fixed(NumberOf(best, "ratio_to_limit"), 2) + " ×",
           "of what a bare memory loop reaches (goal 0.95)"}};
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
                  .html = "",
                  .headlines = Headlines(tuned)};
  section.html += Paragraph(
      "GB/s counts the bytes that a kernel names (1 GB = 10⁹ bytes, best time). \"Moved\" also "
      "counts the line that "
      "an ordinary store reads before it writes. Kernels are tuned in the sense of STREAM's rules: "
      "they are not those of stream.c, which are the plain rows.");
  section.html += Figure8(runs);
  section.html += Heading("All rows");
  for (const Run& run : runs) {
    section.html += AllRows(run);
    if (!CommandOf(run).empty()) section.html += Reproduce(CommandOf(run));
  }
  return section;
}

}  // namespace report
