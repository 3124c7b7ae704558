#include "apps/program/plot_frame.h"

#include <cstdio>
#include <iterator>

namespace program {
namespace {

// Okabe and Ito's colors, which people with any color vision tell apart, and
// lighter ones of the same hues for dark pages.
constexpr std::string_view kLight[] = {"#0072b2", "#d55e00", "#009e73",
                                       "#a0508a", "#b07700", "#3388bb"};
constexpr std::string_view kDark[] = {"#4da6e0", "#f08a4b", "#2cc79b",
                                      "#e2a2c5", "#f2b84b", "#8bd0f5"};
constexpr int kColors = std::size(kLight);
constexpr int kMarks = 4;

constexpr double kTitleHeight = 34;
constexpr double kLegendRow = 20;
constexpr double kPlotHeight = 280;
constexpr double kFootHeight = 52;

// Roughly, since the reader's font is unknown.
double TextWidth(std::string_view text) { return 7.2 * static_cast<double>(text.size()); }

std::string Style() {
  const auto colors = [](const std::string_view(&palette)[kColors]) {
    std::string rules;
    for (int i = 0; i < kColors; ++i) {
      rules += ".vp-c" + std::to_string(i) + "{--vp-c:" + std::string(palette[i]) + "}";
    }
    return rules;
  };
  return "<style>.vp{--vp-ink:#222;--vp-grid:#ddd;--vp-page:#fff;font:13px system-ui,"
         "sans-serif}.vp text{fill:var(--vp-ink)}.vp .vp-title{font-size:16px;font-weight:600}"
         ".vp .vp-grid{stroke:var(--vp-grid)}.vp .vp-axis{stroke:var(--vp-ink)}"
         ".vp .vp-line{fill:none;stroke:var(--vp-c);stroke-width:2.5;stroke-linejoin:round}"
         ".vp .vp-fill{fill:var(--vp-c);stroke:var(--vp-page)}" +
         colors(kLight) +
         // Paper is white whatever the screen was.
         "@media screen and (prefers-color-scheme:dark){"
         ".vp{--vp-ink:#e6e6e6;--vp-grid:#444;--vp-page:#181818}" +
         colors(kDark) + "}</style>";
}

std::string Text(double x, double y, std::string_view attributes, std::string_view content) {
  return "<text x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) + "\" " + std::string(attributes) + ">" +
         EscapeXml(content) + "</text>";
}

std::string LineBetween(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<line x1=\"" + Pixels(x1) + "\" y1=\"" + Pixels(y1) + "\" x2=\"" + Pixels(x2) +
         "\" y2=\"" + Pixels(y2) + "\" class=\"" + std::string(style) + "\"/>";
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        // Other control characters have no place in XML, escaped or not.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') escaped += c;
    }
  }
  return escaped;
}

std::string Pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string PlotFrame::ColorClass(int index) { return "vp-c" + std::to_string(index % kColors); }

PlotFrame::PlotFrame(std::string_view title, std::string_view y_label, const Axis& y,
                     const std::vector<std::string>& names) {
  // Legend first: how many rows it takes decides where all else is.
  std::vector<Point> entries;
  double x = kLeft;
  double row = kTitleHeight + 12;
  for (const std::string& name : names) {
    const double width = 24 + TextWidth(name) + 18;
    if (x + width > kRight && x > kLeft) {
      x = kLeft;
      row += kLegendRow;
    }
    entries.push_back({x, row});
    x += width;
  }
  top_ = row + 28;
  bottom_ = top_ + kPlotHeight;
  const double height = bottom_ + kFootHeight;

  const std::string name = EscapeXml(title);
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"vp\" role=\"img\" viewBox=\"0 0 720 " +
          Pixels(height) + "\" style=\"max-width:720px;width:100%\" aria-label=\"" + name + "\">";
  text_ += Style() + "<title>" + name + "</title>";
  text_ += "<rect width=\"720\" height=\"" + Pixels(height) + "\" style=\"fill:var(--vp-page)\"/>";
  text_ += Text(kLeft, 24, "class=\"vp-title\"", title);
  for (std::size_t i = 0; i < names.size(); ++i) {
    AddMark(static_cast<int>(i), entries[i].x + 8, entries[i].y, "");
    text_ += Text(entries[i].x + 22, entries[i].y + 4.5, "", names[i]);
  }

  text_ += Text(kLeft, top_ - 8, "text-anchor=\"end\"", y_label);
  for (const double tick : y.ticks) {
    const double at = Y(y.Fraction(tick));
    text_ += LineBetween(kLeft, at, kRight, at, tick == 0 ? "vp-axis" : "vp-grid");
    text_ += Text(kLeft - 8, at + 4.5, "text-anchor=\"end\"", TickLabel(tick));
  }
}

void PlotFrame::AddXLabel(double x, std::string_view label) {
  text_ += LineBetween(x, bottom_, x, bottom_ + 5, "vp-axis");
  text_ += Text(x, bottom_ + 20, "text-anchor=\"middle\"", label);
}

void PlotFrame::AddXTitle(std::string_view title) {
  text_ += Text((kLeft + kRight) / 2, bottom_ + 42, "text-anchor=\"middle\"", title);
}

void PlotFrame::AddMark(int index, double x, double y, std::string_view tooltip) {
  constexpr double kHalf = 5;
  const auto at = [&](double dx, double dy) { return Pixels(x + dx) + "," + Pixels(y + dy) + " "; };
  std::string points;
  switch (index % kMarks) {
    case 0:
      text_ +=
          "<circle cx=\"" + Pixels(x) + "\" cy=\"" + Pixels(y) + "\" r=\"" + Pixels(kHalf) + "\"";
      break;
    case 1:
      points = at(-kHalf, -kHalf) + at(kHalf, -kHalf) + at(kHalf, kHalf) + at(-kHalf, kHalf);
      break;
    case 2:
      points = at(0, -kHalf - 1) + at(kHalf + 1, kHalf) + at(-kHalf - 1, kHalf);
      break;
    default:
      points = at(0, -kHalf - 1) + at(kHalf + 1, 0) + at(0, kHalf + 1) + at(-kHalf - 1, 0);
  }
  if (!points.empty()) text_ += "<polygon points=\"" + points + "\"";
  text_ += " class=\"vp-fill " + ColorClass(index) + "\">";
  if (!tooltip.empty()) text_ += "<title>" + EscapeXml(tooltip) + "</title>";
  text_ += points.empty() ? "</circle>" : "</polygon>";
}

std::string PlotFrame::Finish() && { return std::move(text_) + "</svg>\n"; }

}  // namespace program
