#include <algorithm>
#include <cmath>

#include "apps/program/plot.h"
#include "apps/program/plot_frame.h"
#include "apps/program/plot_text.h"

namespace program {
namespace {

// A fifth of each group is the gap to the next.
constexpr double kBarsOfGroup = 0.8;

bool IsDisturbed(const Bars& bars, std::size_t group) {
  return group < bars.qualities.size() && bars.qualities[group] == Quality::kDisturbed;
}

std::optional<Whisker> WhiskerOf(const Bars& bars, std::size_t group) {
  return group < bars.whiskers.size() ? bars.whiskers[group] : std::nullopt;
}

// As shown above a bar; the tooltip has more digits.
std::string Label(double value) { return TickLabel(std::round(value * 10) / 10); }

}  // namespace

std::string ToSvg(const BarPlot& plot) {
  double highest = 0, widest_label = 0;
  std::vector<std::string> names;
  for (const Bars& bars : plot.bars) {
    names.push_back(bars.name);
    for (std::size_t group = 0; group < bars.values.size(); ++group) {
      const auto whisker = WhiskerOf(bars, group);
      highest = std::max({highest, bars.values[group], whisker ? whisker->high : 0});
      widest_label = std::max(widest_label, TextWidth(Label(bars.values[group])));
    }
  }
  std::vector<int> colors;
  for (std::size_t i = 0; i < plot.bars.size(); ++i) {
    colors.push_back(plot.bars[i].color.value_or(static_cast<int>(i)));
  }
  if (names.size() == 1) names.clear();  // There is nothing to tell apart.
  const double groups = static_cast<double>(std::max<std::size_t>(1, plot.groups.size()));
  const double bars_each = static_cast<double>(std::max<std::size_t>(1, plot.bars.size()));
  const double group_width = 1 / groups;
  const double bar_width = kBarsOfGroup * group_width / bars_each;

  const Axis y = AxisFromZero(highest);
  PlotFrame::Options options = {.title = plot.title,
                                .x_label = plot.x_label,
                                .y_label = plot.y_label,
                                .names = names,
                                .colors = colors,
                                .key = PlotFrame::Key::kBoxes};
  // Pixels of the plot area do not depend on the labels under it.
  const PlotFrame empty(options, y);
  const double pixels = empty.X(1) - empty.X(0);
  std::vector<std::vector<std::string>> labels;
  for (const std::string& group : plot.groups) {
    labels.push_back(Wrapped(group, group_width * pixels - 4));
    options.foot_lines = std::max(options.foot_lines, labels.back().size());
  }
  PlotFrame frame(options, y);
  const bool labels_fit = widest_label <= bar_width * pixels;

  for (std::size_t group = 0; group < plot.groups.size(); ++group) {
    const double start = static_cast<double>(group) * group_width;
    frame.AddXLabel(frame.X(start + group_width / 2), labels[group]);
    for (std::size_t i = 0; i < plot.bars.size(); ++i) {
      const Bars& bars = plot.bars[i];
      if (group >= bars.values.size()) continue;
      const double value = bars.values[group];
      const double left = frame.X(start + (1 - kBarsOfGroup) / 2 * group_width +
                                  static_cast<double>(i) * bar_width);
      const double right = left + bar_width * pixels, middle = (left + right) / 2;
      double top = frame.Y(y.Fraction(value));
      frame.Add("<rect x=\"" + Pixels(left) + "\" y=\"" + Pixels(top) + "\" width=\"" +
                Pixels(right - left) + "\" height=\"" + Pixels(frame.Y(0) - top) + "\" " +
                PlotFrame::Look(IsDisturbed(bars, group) ? PlotFrame::Shape::kHollow
                                                         : PlotFrame::Shape::kFilled,
                                colors[i]) +
                "><title>" +
                EscapeXml(plot.groups[group] + ", " + bars.name + ": " + TickLabel(value) + " " +
                          plot.y_label) +
                "</title></rect>");
      if (const auto whisker = WhiskerOf(bars, group)) {
        const double high = frame.Y(y.Fraction(whisker->high));
        constexpr int kOnBar = -1;
        frame.AddWhisker(kOnBar, middle, frame.Y(y.Fraction(whisker->low)), high);
        top = std::min(top, high);
      }
      const std::string label =
          (labels_fit ? Label(value) : std::string()) + (IsDisturbed(bars, group) ? "†" : "");
      if (!label.empty()) frame.AddLabel(middle, top - 4, label);
    }
  }
  return std::move(frame).Finish();
}

}  // namespace program
