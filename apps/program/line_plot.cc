#include <algorithm>
#include <limits>

#include "apps/program/plot.h"
#include "apps/program/plot_frame.h"

namespace program {

std::string ToSvg(const LinePlot& plot) {
  double lowest_x = std::numeric_limits<double>::infinity();
  double highest_x = -lowest_x;
  double highest_y = 0;
  std::vector<std::string> names;
  for (const Line& line : plot.lines) {
    names.push_back(line.name);
    for (const Point& point : line.points) {
      lowest_x = std::min(lowest_x, point.x);
      highest_x = std::max(highest_x, point.x);
      highest_y = std::max(highest_y, point.y);
    }
  }
  if (lowest_x > highest_x) lowest_x = highest_x = 1;  // No point at all: an empty frame.

  const Axis x = AxisBetween(lowest_x, highest_x, plot.x_scale);
  const Axis y = AxisFromZero(highest_y);
  PlotFrame frame(plot.title, plot.y_label, y, names);
  // A margin left and right, so that marks at the ends stay inside.
  const auto at = [&](double value) { return frame.X(0.04 + 0.92 * x.Fraction(value)); };
  for (const double tick : x.ticks) frame.AddXLabel(at(tick), TickLabel(tick));
  frame.AddXTitle(plot.x_label);

  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const Line& line = plot.lines[i];
    const int index = static_cast<int>(i);
    std::string points;
    for (const Point& point : line.points) {
      points += Pixels(at(point.x)) + "," + Pixels(frame.Y(y.Fraction(point.y))) + " ";
    }
    frame.Add("<polyline points=\"" + points + "\" class=\"vp-line " +
              PlotFrame::ColorClass(index) + "\"/>");
    for (const Point& point : line.points) {
      frame.AddMark(index, at(point.x), frame.Y(y.Fraction(point.y)),
                    line.name + ", " + plot.x_label + " " + TickLabel(point.x) + ": " +
                        TickLabel(point.y) + " " + plot.y_label);
    }
  }
  return std::move(frame).Finish();
}

}  // namespace program
