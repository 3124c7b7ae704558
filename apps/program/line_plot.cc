#include <algorithm>

#include "apps/program/plot.h"
#include "apps/program/plot_frame.h"
#include "apps/program/plot_text.h"

namespace program {
namespace {

// A margin left and right, so that marks at the ends stay inside.
double At(const PlotFrame& frame, const Axis& x, double value) {
  return frame.X(0.04 + 0.92 * x.Fraction(value));
}

// Labels of ticks, from the last one on, which is the one that a reader looks for; those that would
// touch the one before are left out.
void AddTicks(PlotFrame& frame, const Axis& x) {
  double before = frame.X(2);
  for (auto tick = x.ticks.rbegin(); tick != x.ticks.rend(); ++tick) {
    const std::string label = TickLabel(*tick);
    const double at = At(frame, x, *tick), half = TextWidth(label) / 2;
    const bool has_room = at + half + 4 <= before;
    frame.AddXLabel(at, {has_room ? label : ""});
    if (has_room) before = at - half;
  }
}

}  // namespace

std::string ToSvg(const LinePlot& plot) {
  double highest_y = 0;
  std::vector<double> xs;
  bool has_whiskers = false;
  std::vector<std::string> names;
  for (const Line& line : plot.lines) {
    names.push_back(line.name);
    for (const Point& point : line.points) {
      xs.push_back(point.x);
      highest_y = std::max({highest_y, point.y, point.whisker ? point.whisker->high : 0});
      has_whiskers = has_whiskers || point.whisker;
    }
  }
  const Axis x = AxisOver(std::move(xs), plot.x_scale);
  const Axis y = AxisFromZero(highest_y);
  PlotFrame frame({.title = plot.title,
                   .x_label = plot.x_label,
                   .y_label = plot.y_label,
                   .names = names,
                   .whiskers = plot.whiskers},
                  y);
  AddTicks(frame, x);

  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const Line& line = plot.lines[i];
    const int index = static_cast<int>(i);
    // Whiskers of several lines stand beside each other.
    const double beside =
        has_whiskers ? 4 * (static_cast<double>(i) - static_cast<double>(names.size() - 1) / 2) : 0;
    const auto x_of = [&](const Point& point) { return At(frame, x, point.x) + beside; };
    const auto y_of = [&](double value) { return frame.Y(y.Fraction(value)); };
    std::string points;
    for (const Point& point : line.points) {
      points += Pixels(x_of(point)) + "," + Pixels(y_of(point.y)) + " ";
    }
    frame.Add("<polyline points=\"" + points + "\" " +
              PlotFrame::Look(PlotFrame::Shape::kLine, index) + "/>");
    for (const Point& point : line.points) {
      if (point.whisker) {
        frame.AddWhisker(index, x_of(point), y_of(point.whisker->low), y_of(point.whisker->high));
      }
      frame.AddMark(index, x_of(point), y_of(point.y), point.quality,
                    line.name + ", " + plot.x_label + " " + TickLabel(point.x) + ": " +
                        TickLabel(point.y) + " " + plot.y_label);
    }
  }
  return std::move(frame).Finish();
}

}  // namespace program
