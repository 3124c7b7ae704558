#include <algorithm>

#include "apps/report/parts/parts.h"

namespace report {

absl::StatusOr<Section> OtherPart(const std::vector<Run>& runs) {
  Section section{.id = "app-" + runs[0].app,
                  .title = runs[0].app,
                  .summary = "All rows of its runs, with the keys of its --json.",
                  .html = "",
                  .headlines = {}};
  for (const Run& run : runs) {
    // Columns in order of first appearance: rows need not have all keys.
    std::vector<HtmlColumn> columns;
    for (const Json& row : run.results) {
      for (const auto& [key, value] : row.items()) {
        const auto same = [&key = key](const HtmlColumn& column) { return column.head == key; };
        if (std::none_of(columns.begin(), columns.end(), same)) {
          columns.push_back(
              {key, value.is_number() ? HtmlColumn::Kind::kNumber : HtmlColumn::Kind::kWord});
        }
      }
    }
    std::vector<std::vector<std::string>> rows;
    for (const Json& row : run.results) {
      std::vector<std::string> cells;
      for (const HtmlColumn& column : columns) cells.push_back(TextOf(row, column.head));
      rows.push_back(std::move(cells));
    }
    section.html += HtmlTable(columns, rows);
    if (!CommandOf(run).empty()) section.html += Reproduce(CommandOf(run));
  }
  return section;
}

}  // namespace report
