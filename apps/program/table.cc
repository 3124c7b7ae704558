#include "apps/program/table.h"

#include <algorithm>
#include <cstdio>

namespace program {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kPlain = "\033[0m";

// Columns on the screen: UTF-8 continuation bytes take none.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string Paint(std::string_view line, std::string_view paint, Color color) {
  if (color == Color::kOff) return std::string(line);
  return std::string(paint) + std::string(line) + std::string(kPlain);
}

}  // namespace

std::string Table::Render(Color color) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(Width(columns_[i].head));
    for (const auto& row : rows_) {
      if (i < row.size()) widths[i] = std::max(widths[i], Width(row[i]));
    }
  }

  const auto line_of = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string_view cell = cell_of(i);
      const std::string blanks(widths[i] - Width(cell), ' ');
      if (columns_[i].align == Align::kRight) line += blanks;
      line += cell;
      if (columns_[i].align == Align::kLeft) line += blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };

  std::string text =
      Paint(line_of([&](std::size_t i) { return std::string_view(columns_[i].head); }), kBold,
            color) +
      "\n";
  std::size_t total = columns_.empty() ? 0 : 2 * (columns_.size() - 1);
  for (const std::size_t width : widths) total += width;
  for (const auto& row : rows_) {
    if (row.empty()) {
      text += Paint(std::string(total, '-'), kDim, color) + "\n";
      continue;
    }
    text += line_of([&](std::size_t i) {
      return i < row.size() ? std::string_view(row[i]) : std::string_view();
    });
    text += "\n";
  }
  return text;
}

std::string Fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace program
