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
  // Draws title, legend (one entry a name, in color and mark of its index) and
  // the y axis with its grid.
  PlotFrame(std::string_view title, std::string_view y_label, const Axis& y,
            const std::vector<std::string>& names);

  // Pixels of the plot area, of an axis' fraction.
  double X(double fraction) const { return kLeft + fraction * (kRight - kLeft); }
  double Y(double fraction) const { return bottom_ - fraction * (bottom_ - top_); }

  void Add(std::string_view element) { text_ += element; }
  // A tick's label, or a group's, under the plot area.
  void AddXLabel(double x, std::string_view label);
  void AddXTitle(std::string_view title);
  // The mark of series `index` at that pixel: circle, square, triangle, diamond.
  void AddMark(int index, double x, double y, std::string_view tooltip);

  std::string Finish() &&;

  // The CSS class that carries color number `index`.
  static std::string ColorClass(int index);

 private:
  static constexpr double kLeft = 64;
  static constexpr double kRight = 704;
  double top_ = 0;
  double bottom_ = 0;
  std::string text_;
};

// One digit after the point is finer than a screen shows.
std::string Pixels(double value);

}  // namespace program
