#include "apps/report/rows/seconds.h"

#include <algorithm>
#include <utility>

#include "apps/program/table.h"
#include "apps/report/page/page.h"

namespace report {

std::vector<Json> RowsWhere(const std::vector<Json>& rows, const std::string& key,
                            const std::string& value) {
  std::vector<Json> found;
  for (const Json& row : rows) {
    if (TextOf(row, key) == value) found.push_back(row);
  }
  return found;
}

std::optional<Json> FastestOf(const std::vector<Json>& rows) {
  const auto fastest = std::min_element(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
    return NumberOf(a, "seconds") < NumberOf(b, "seconds");
  });
  return fastest == rows.end() ? std::nullopt : std::optional(*fastest);
}

std::string ThreadsOf(const Json& row) {
  return TextOf(row, "threads") + (TextOf(row, "threads") == "1" ? " thread" : " threads");
}

std::string MostThreadsOf(const std::vector<Json>& rows) {
  const auto most = std::max_element(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
    return NumberOf(a, "threads") < NumberOf(b, "threads");
  });
  return TextOf(*most, "threads");
}

std::string LinesBy(const std::string& series, program::LinePlot plot,
                    const std::vector<Json>& rows, const std::function<double(const Json&)>& x_of,
                    const std::string& unit, const Format& format) {
  std::vector<double> xs;
  for (const Json& row : rows) xs.push_back(x_of(row));
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());

  std::vector<HtmlColumn> columns = {{plot.x_label}};
  std::vector<std::vector<std::string>> cells;
  for (const double x : xs) cells.push_back({program::Fixed(x, 0)});
  for (const std::string& name : Values(rows, series)) {
    columns.push_back({name + ", " + unit});
    program::Line line = {.name = name, .points = {}};
    const std::vector<Json> of_line = RowsWhere(rows, series, name);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const auto row = std::find_if(of_line.begin(), of_line.end(),
                                    [&](const Json& each) { return x_of(each) == xs[i]; });
      const bool is_there = row != of_line.end();
      cells[i].push_back(is_there ? FigureOf(*row, "seconds", format) : "");
      if (is_there) line.points.push_back({xs[i], NumberOf(*row, "seconds") * format.scale});
    }
    plot.lines.push_back(std::move(line));
  }
  return "<figure>" + ToSvg(plot) + "</figure>\n" + HtmlTable(columns, cells);
}

}  // namespace report
