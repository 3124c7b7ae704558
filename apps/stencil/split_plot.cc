#include "apps/stencil/split_plot.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "apps/program/plot.h"
#include "apps/program/plot_axis.h"

namespace stencil {
namespace {

constexpr double kLeft = 110, kRight = 690, kTop = 66, kBar = 22, kRow = 32;

struct Piece {
  std::string_view name, color, color_when_dark;
};
constexpr Piece kPieces[] = {{"compute", "#0072b2", "#4da6e0"},
                             {"preload", "#d55e00", "#f08a4b"},
                             {"faults", "#cc79a7", "#e39bc3"},
                             {"barrier", "#009e73", "#2cc79b"},
                             {"rest", "#999999", "#777777"}};

std::string Pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string Class(std::size_t piece) { return "class=\"sp-" + std::to_string(piece) + "\""; }

std::string Text(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + program::EscapeXml(text) + "</text>";
}

std::string Style() {
  std::string light, dark;
  for (std::size_t i = 0; i < std::size(kPieces); ++i) {
    const std::string rule = ".sp .sp-" + std::to_string(i) + "{fill:";
    light += rule + std::string(kPieces[i].color) + "}";
    dark += rule + std::string(kPieces[i].color_when_dark) + "}";
  }
  // Paper is white whatever the screen was.
  return "<style>.sp{font:13px system-ui,sans-serif}.sp .sp-page{fill:#fff}.sp text{fill:#222}"
         ".sp line{stroke:#ddd}" +
         light +
         "@media screen and (prefers-color-scheme:dark){.sp .sp-page{fill:#181818}"
         ".sp text{fill:#e6e6e6}.sp line{stroke:#444}" +
         dark + "}</style>";
}

}  // namespace

std::string SplitPlot(const std::string& title, const std::vector<TimeSplit>& splits,
                      const std::string& label) {
  double longest = 0;
  for (const TimeSplit& split : splits) longest = std::max(longest, split.seconds);
  const program::Axis axis = program::AxisFromZero(longest);
  const auto x_of = [&](double seconds) {
    return kLeft + axis.Fraction(seconds) * (kRight - kLeft);
  };
  const double bottom = kTop + kRow * static_cast<double>(splits.size());
  const std::string name = program::EscapeXml(title);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sp\" role=\"img\" "
      "viewBox=\"0 0 720 " +
      Pixels(bottom + 44) + "\" style=\"max-width:720px;width:100%\" aria-label=\"" + name + "\">" +
      Style() + "<title>" + name + "</title>" + "<rect class=\"sp-page\" width=\"720\" height=\"" +
      Pixels(bottom + 44) + "\"/>" + Text(20, 24, "start", title);
  for (std::size_t i = 0; i < std::size(kPieces); ++i) {
    const double x = kLeft + 110 * static_cast<double>(i);
    svg += "<rect x=\"" + Pixels(x) + "\" y=\"38\" width=\"14\" height=\"14\" " + Class(i) + "/>" +
           Text(x + 20, 50, "start", kPieces[i].name);
  }
  for (const double tick : axis.ticks) {
    const std::string x = Pixels(x_of(tick));
    svg += "<line x1=\"" + x + "\" y1=\"" + Pixels(kTop - 4) + "\" x2=\"" + x + "\" y2=\"" +
           Pixels(bottom) + "\"/>" +
           Text(x_of(tick), bottom + 18, "middle", program::TickLabel(tick));
  }
  svg += Text(kRight, bottom + 36, "end", label);
  double y = kTop;
  for (const TimeSplit& split : splits) {
    svg += Text(kLeft - 10, y + 16, "end", split.name);
    const double rest =
        std::max(0.0, split.seconds - split.compute_seconds - split.preload_seconds -
                          split.fault_seconds - split.barrier_seconds);
    double from = 0;
    std::size_t piece = 0;
    for (const double seconds : {split.compute_seconds, split.preload_seconds, split.fault_seconds,
                                 split.barrier_seconds, rest}) {
      svg += "<rect x=\"" + Pixels(x_of(from)) + "\" y=\"" + Pixels(y) + "\" width=\"" +
             Pixels(x_of(from + seconds) - x_of(from)) + "\" height=\"" + Pixels(kBar) + "\" " +
             Class(piece) + "><title>" +
             program::EscapeXml(split.name + ", " + std::string(kPieces[piece].name) + ": " +
                                program::TickLabel(seconds) + " s") +
             "</title></rect>";
      from += seconds;
      ++piece;
    }
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace stencil
