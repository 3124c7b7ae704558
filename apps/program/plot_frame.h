// The common parts of line plots and bar plots: style, title, legend, grid, y axis.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/program/plot_axis.h"

namespace program {

// A resource only in that it grows: text of one <svg> element.
class PlotFrame {
 public:
  // What the legend has before each name: the series' mark, or a box of its color.
  enum class Key { kMarks, kBoxes };

  // A value. `names` is empty where there is nothing to tell apart. `foot_lines`: of the longest
  // label under the plot area.
  struct Options {
    std::string title, x_label, y_label;
    std::vector<std::string> names;
    std::vector<int> colors = {};  // indexes of the names' colors; empty: 0, 1, 2, ...
    Key key = Key::kMarks;
    std::size_t foot_lines = 1;
    std::string whiskers = "quartiles";
  };
  // Draws title, legend (one entry a name, in the color of its index) and the y axis with its grid.
  PlotFrame(const Options& options, const Axis& y);

  // Pixels of the plot area, of an axis' fraction.
  double X(double fraction) const { return kLeft + fraction * (kRight - kLeft); }
  double Y(double fraction) const { return bottom_ - fraction * (bottom_ - top_); }

  void Add(std::string_view element) { text_ += element; }
  // A tick with a label of one or more lines, or a group's, under the plot area.
  void AddXLabel(double x, const std::vector<std::string>& lines);
  // The mark of series `index` at that pixel; hollow with a dagger where it was disturbed.
  void AddMark(int index, double x, double y, Quality quality, std::string_view tooltip);
  // Between the pixels `low` and `high`.
  void AddWhisker(int index, double x, double low, double high);
  // A number, or what stands beside one.
  void AddLabel(double x, double y, std::string_view text);

  std::string Finish() &&;

  enum class Shape { kLine, kWhisker, kFilled, kHollow };
  // The attributes that draw a shape in the color of series `index`; negative: in that of text.
  // Plain colors first, for those who know no CSS variables (librsvg, LaTeX, e-mail); a browser
  // takes those of the class, which follow a dark page.
  static std::string Look(Shape shape, int index);

 private:
  static constexpr double kLeft = 56;
  static constexpr double kRight = 548;
  double top_ = 0;
  double bottom_ = 0;
  double note_ = 0;   // where a line about whiskers and daggers goes
  std::string name_;  // escaped
  const std::string whiskers_;
  bool has_whisker_ = false, has_disturbed_ = false;
  std::string text_;
};

// One digit after the point is finer than a screen shows.
std::string Pixels(double value);

}  // namespace program
