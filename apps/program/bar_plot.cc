#include <algorithm>
#include <cmath>

#include "apps/program/plot.h"
#include "apps/program/plot_frame.h"

namespace program {

std::string ToSvg(const BarPlot& plot) {
  double highest = 0;
  std::vector<std::string> names;
  for (const Bars& bars : plot.bars) {
    names.push_back(bars.name);
    for (const double value : bars.values) highest = std::max(highest, value);
  }
  const Axis y = AxisFromZero(highest);
  PlotFrame frame(plot.title, plot.y_label, y, names);

  const double group_width =
      1.0 / static_cast<double>(std::max<std::size_t>(1, plot.groups.size()));
  // A fifth of each group is the gap to the next.
  const double bar_width =
      0.8 * group_width / static_cast<double>(std::max<std::size_t>(1, plot.bars.size()));
  for (std::size_t group = 0; group < plot.groups.size(); ++group) {
    const double start = static_cast<double>(group) * group_width;
    frame.AddXLabel(frame.X(start + group_width / 2), plot.groups[group]);
    for (std::size_t i = 0; i < plot.bars.size(); ++i) {
      if (group >= plot.bars[i].values.size()) continue;
      const double value = plot.bars[i].values[group];
      const double left = frame.X(start + 0.1 * group_width + static_cast<double>(i) * bar_width);
      const double right =
          frame.X(start + 0.1 * group_width + static_cast<double>(i + 1) * bar_width);
      const double top = frame.Y(y.Fraction(value));
      frame.Add("<rect x=\"" + Pixels(left) + "\" y=\"" + Pixels(top) + "\" width=\"" +
                Pixels(right - left) + "\" height=\"" + Pixels(frame.Y(0) - top) +
                "\" class=\"vp-fill " + PlotFrame::ColorClass(static_cast<int>(i)) + "\"><title>" +
                EscapeXml(plot.groups[group] + ", " + plot.bars[i].name + ": " + TickLabel(value) +
                          " " + plot.y_label) +
                "</title></rect>");
      frame.Add("<text x=\"" + Pixels((left + right) / 2) + "\" y=\"" + Pixels(top - 4) +
                "\" text-anchor=\"middle\">" + TickLabel(std::round(value * 10) / 10) + "</text>");
    }
  }
  return std::move(frame).Finish();
}

}  // namespace program
