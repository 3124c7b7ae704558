#include "apps/stencil/run/split_plot.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "apps/program/palette.h"
#include "apps/program/plot.h"
#include "apps/program/plot_axis.h"
#include "apps/program/plot_text.h"

namespace stencil {
namespace {

// Text is readable where a page of 500 pixels shrinks it, as that of plot.h's.
constexpr double kWidth = 560, kLeft = 96, kRight = 544, kTitleRow = 22, kBar = 22, kRow = 32;
constexpr double kLegendColumn = 92;

// The pieces of a time, in the order of the bars, and their colors in the palette.
struct Piece {
  std::string_view name;
  std::size_t color;
};
constexpr Piece kPieces[] = {
    {"compute", 0}, {"preload", 1}, {"faults", 5}, {"barrier", 2}, {"rest", 6}};

std::string Pixels(double value) { return absl::StrFormat("%.1f", value); }

std::string Class(std::size_t piece) { return "class=\"sp-" + std::to_string(piece) + "\""; }

std::string Text(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + program::EscapeXml(text) + "</text>";
}

std::string Style() {
  std::string light, dark;
  for (std::size_t i = 0; i < std::size(kPieces); ++i) {
    const std::string rule = ".sp .sp-" + std::to_string(i) + "{fill:";
    light += rule + std::string(program::kLightColors[kPieces[i].color]) + "}";
    dark += rule + std::string(program::kDarkColors[kPieces[i].color]) + "}";
  }
  // Paper is white whatever the screen was.
  return "<style>.sp{font:13px system-ui,sans-serif}.sp .sp-title{font-size:16px;font-weight:600}"
         ".sp .sp-page{fill:" +
         std::string(program::kLightPage) + "}.sp text{fill:#222}.sp line{stroke:#ddd}" + light +
         "@media screen and (prefers-color-scheme:dark){.sp .sp-page{fill:" +
         std::string(program::kDarkPage) + "}.sp text{fill:#e6e6e6}.sp line{stroke:#444}" + dark +
         "}</style>";
}

// A title's letter is wider than those of labels.
std::vector<std::string> TitleLines(const std::string& title) {
  constexpr double kTitleShare = 13.0 / 16;
  return program::Wrapped(title, kTitleShare * (kWidth - 24));
}

}  // namespace

std::string SplitPlot(const std::string& title, const std::vector<TimeSplit>& splits,
                      const std::string& label, double longest) {
  for (const TimeSplit& split : splits) longest = std::max(longest, split.seconds);
  const program::Axis axis = program::AxisFromZero(longest);
  const auto x_of = [&](double seconds) {
    return kLeft + axis.Fraction(seconds) * (kRight - kLeft);
  };
  const std::vector<std::string> lines = TitleLines(title);
  const double legend = kTitleRow * static_cast<double>(lines.size()) + 14, top = legend + 28;
  const double bottom = top + kRow * static_cast<double>(splits.size());
  const std::string name = program::EscapeXml(title);
  const std::string width = Pixels(kWidth), height = Pixels(bottom + 48);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sp\" role=\"img\" viewBox=\"0 0 " + width +
      " " + height + "\" style=\"max-width:640px;width:100%\" aria-label=\"" + name + "\">" +
      Style() + "<title>" + name + "</title>" + "<rect class=\"sp-page\" width=\"" + width +
      "\" height=\"" + height + "\"/>";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    svg += "<text class=\"sp-title\" x=\"12\" y=\"" +
           Pixels(kTitleRow * static_cast<double>(i + 1)) + "\">" + program::EscapeXml(lines[i]) +
           "</text>";
  }
  for (std::size_t i = 0; i < std::size(kPieces); ++i) {
    const double x = 12 + kLegendColumn * static_cast<double>(i);
    svg += "<rect x=\"" + Pixels(x) + "\" y=\"" + Pixels(legend) +
           "\" width=\"14\" height=\"14\" " + Class(i) + "/>" +
           Text(x + 20, legend + 12, "start", kPieces[i].name);
  }
  for (const double tick : axis.ticks) {
    const std::string x = Pixels(x_of(tick));
    svg += "<line x1=\"" + x + "\" y1=\"" + Pixels(top - 4) + "\" x2=\"" + x + "\" y2=\"" +
           Pixels(bottom) + "\"/>" +
           Text(x_of(tick), bottom + 18, "middle", program::TickLabel(tick));
  }
  svg += Text((kLeft + kRight) / 2, bottom + 38, "middle", label);
  double y = top;
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
