// Tables for people: columns line up, numbers to the right, units in the head.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/program/terminal.h"

namespace program {

// A value.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string head;  // with its unit, as "GB/s"
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column; missing ones at the end are empty.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // A thin line between this row and the next.
  void AddRule() { rows_.emplace_back(); }

  // Lines that end in a newline each and have no blanks at their ends.
  std::string Render(Color color) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // empty: a rule
};

// `digits` after the point: Fixed(1.25, 1) is "1.2".
std::string Fixed(double value, int digits);

}  // namespace program
