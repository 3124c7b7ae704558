#include "apps/program/plot_frame.h"

#include <cstdio>

#include "apps/program/palette.h"
#include "apps/program/plot_text.h"

namespace program {
namespace {

constexpr int kMarks = 8;

// The width that text is readable at when a page of 500 pixels shrinks it.
constexpr double kWidth = 560;
constexpr double kTitleRow = 22;
constexpr double kLegendRow = 20;
constexpr double kPlotHeight = 250;
constexpr double kLineHeight = 16;

constexpr std::string_view kInk = "#222222", kGrid = "#dddddd";

std::string Style() {
  const auto colors = [](const std::array<std::string_view, kColors>& palette) {
    std::string rules;
    for (std::size_t i = 0; i < palette.size(); ++i) {
      rules += ".vp-c" + std::to_string(i) + "{--vp-c:" + std::string(palette[i]) + "}";
    }
    return rules;
  };
  return "<style>.vp{--vp-ink:" + std::string(kInk) + ";--vp-grid:" + std::string(kGrid) +
         ";--vp-page:" + std::string(kLightPage) +
         ";font:13px system-ui,sans-serif}.vp text{fill:var(--vp-ink)}"
         ".vp .vp-title{font-size:16px;font-weight:600}.vp .vp-page{fill:var(--vp-page)}"
         ".vp .vp-grid{stroke:var(--vp-grid)}.vp .vp-axis{stroke:var(--vp-ink)}"
         ".vp .vp-line{fill:none;stroke:var(--vp-c);stroke-width:2.5;stroke-linejoin:round}"
         ".vp .vp-whisker{fill:none;stroke:var(--vp-c);stroke-width:1.5}"
         // Seen on a bar of the same color, too.
         ".vp .vp-on-bar{stroke:var(--vp-ink)}"
         ".vp .vp-fill{fill:var(--vp-c);stroke:var(--vp-page)}"
         ".vp .vp-hollow{fill:var(--vp-page);stroke:var(--vp-c);stroke-width:2}" +
         colors(kLightColors) +
         // Paper is white whatever the screen was.
         "@media screen and (prefers-color-scheme:dark){"
         ".vp{--vp-ink:#e6e6e6;--vp-grid:#444;--vp-page:" +
         std::string(kDarkPage) + "}" + colors(kDarkColors) + "}</style>";
}

std::string Text(double x, double y, std::string_view attributes, std::string_view content) {
  return "<text x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) + "\" " + std::string(attributes) + ">" +
         EscapeXml(content) + "</text>";
}

// An axis, or a line of the grid.
std::string LineBetween(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<line x1=\"" + Pixels(x1) + "\" y1=\"" + Pixels(y1) + "\" x2=\"" + Pixels(x2) +
         "\" y2=\"" + Pixels(y2) + "\" stroke=\"" + std::string(style == "vp-axis" ? kInk : kGrid) +
         "\" class=\"" + std::string(style) + "\"/>";
}

// The corners of a mark, which is about 10 pixels wide; a circle has none.
std::vector<Point> Corners(int mark) {
  switch (mark) {
    case 1:
      return {{-5, -5}, {5, -5}, {5, 5}, {-5, 5}};
    case 2:
      return {{0, -6}, {6, 5}, {-6, 5}};
    case 3:
      return {{0, -6}, {6, 0}, {0, 6}, {-6, 0}};
    case 4:
      return {{0, 6}, {6, -5}, {-6, -5}};
    case 5:  // a plus
      return {{-2, -6}, {2, -6}, {2, -2}, {6, -2}, {6, 2},   {2, 2},
              {2, 6},   {-2, 6}, {-2, 2}, {-6, 2}, {-6, -2}, {-2, -2}};
    case 6:  // a cross
      return {{-3, -6}, {0, -3}, {3, -6}, {6, -3}, {3, 0},  {6, 3},
              {3, 6},   {0, 3},  {-3, 6}, {-6, 3}, {-3, 0}, {-6, -3}};
    case 7:
      return {{-3, -6}, {3, -6}, {6, 0}, {3, 6}, {-3, 6}, {-6, 0}};
    default:
      return {};
  }
}

}  // namespace

std::string Pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string PlotFrame::Look(Shape shape, int index) {
  const bool is_series = index >= 0;
  const std::string color(is_series ? kLightColors[static_cast<std::size_t>(index % kColors)]
                                    : kInk);
  const std::string page(kLightPage);
  const std::string name = is_series ? " vp-c" + std::to_string(index % kColors) : " vp-on-bar";
  const auto look = [&](const std::string& kind, const std::string& fill, const std::string& stroke,
                        const std::string& width) {
    return "class=\"" + kind + name + "\" fill=\"" + fill + "\" stroke=\"" + stroke +
           "\" stroke-width=\"" + width + "\"";
  };
  switch (shape) {
    case Shape::kLine:
      return look("vp-line", "none", color, "2.5");
    case Shape::kWhisker:
      return look("vp-whisker", "none", color, "1.5");
    case Shape::kFilled:
      return look("vp-fill", color, page, "1");
    case Shape::kHollow:
      return look("vp-hollow", page, color, "2");
  }
  return "";
}

PlotFrame::PlotFrame(const Options& options, const Axis& y) : whiskers_(options.whiskers) {
  // How many lines title and legend take decides where all else is. A title's letters are larger.
  constexpr double kTitleShare = 13.0 / 16;
  const std::vector<std::string> title = Wrapped(options.title, kTitleShare * (kRight - 12));
  std::vector<Point> entries;
  double x = 12;
  double row = kTitleRow * static_cast<double>(title.size()) + 20;
  for (const std::string& name : options.names) {
    const double width = 22 + TextWidth(name) + 14;
    if (x + width > kWidth && x > 12) {
      x = 12;
      row += kLegendRow;
    }
    entries.push_back({x, row});
    x += width;
  }
  top_ = row + (options.names.empty() ? 16 : 40);
  bottom_ = top_ + kPlotHeight;
  const double foot = bottom_ + 6 + kLineHeight * static_cast<double>(options.foot_lines);
  note_ = foot + (options.x_label.empty() ? 18 : 36);
  name_ = EscapeXml(options.title);
  for (std::size_t i = 0; i < title.size(); ++i) {
    text_ += Text(12, kTitleRow * static_cast<double>(i + 1),
                  "class=\"vp-title\" font-size=\"16\" font-weight=\"600\"", title[i]);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int index = options.colors.empty() ? static_cast<int>(i) : options.colors[i];
    const auto [left, middle] = std::pair(entries[i].x, entries[i].y);
    if (options.key == Key::kMarks) {
      AddMark(index, left + 7, middle, Quality::kGood, "");
    } else {
      text_ += "<path d=\"M" + Pixels(left + 1) + " " + Pixels(middle - 6) + "h12v12h-12z\" " +
               Look(Shape::kFilled, index) + "/>";
    }
    text_ += Text(left + 18, middle + 4.5, "", options.names[i]);
  }
  // From the left edge, so that it may be as long as the plot is wide.
  text_ += Text(12, top_ - 14, "", options.y_label);
  for (const double tick : y.ticks) {
    const double at = Y(y.Fraction(tick));
    text_ += LineBetween(kLeft, at, kRight, at, tick == 0 ? "vp-axis" : "vp-grid");
    text_ += Text(kLeft - 8, at + 4.5, "text-anchor=\"end\"", TickLabel(tick));
  }
  text_ += Text((kLeft + kRight) / 2, foot + 18, "text-anchor=\"middle\"", options.x_label);
}

void PlotFrame::AddXLabel(double x, const std::vector<std::string>& lines) {
  text_ += LineBetween(x, bottom_, x, bottom_ + 5, "vp-axis");
  double y = bottom_ + 4;
  for (const std::string& line : lines) {
    y += kLineHeight;
    text_ += Text(x, y, "text-anchor=\"middle\"", line);
  }
}

void PlotFrame::AddLabel(double x, double y, std::string_view text) {
  if (text.find("†") != std::string_view::npos) has_disturbed_ = true;
  text_ += Text(x, y, "text-anchor=\"middle\"", text);
}

void PlotFrame::AddWhisker(int index, double x, double low, double high) {
  has_whisker_ = true;
  const std::string left = Pixels(x - 4), middle = Pixels(x);
  text_ += "<path d=\"M" + left + " " + Pixels(low) + "h8M" + left + " " + Pixels(high) + "h8M" +
           middle + " " + Pixels(low) + "V" + Pixels(high) + "\" " + Look(Shape::kWhisker, index) +
           "/>";
}

void PlotFrame::AddMark(int index, double x, double y, Quality quality, std::string_view tooltip) {
  const std::vector<Point> corners = Corners(index % kMarks);
  if (corners.empty()) {
    text_ += "<circle cx=\"" + Pixels(x) + "\" cy=\"" + Pixels(y) + "\" r=\"5.0\"";
  } else {
    text_ += "<polygon points=\"";
    for (const Point& corner : corners) {
      text_ += Pixels(x + corner.x) + "," + Pixels(y + corner.y) + " ";
    }
    text_ += "\"";
  }
  const bool is_good = quality == Quality::kGood;
  text_ += " " + Look(is_good ? Shape::kFilled : Shape::kHollow, index) + ">";
  if (!tooltip.empty()) text_ += "<title>" + EscapeXml(tooltip) + "</title>";
  text_ += corners.empty() ? "</circle>" : "</polygon>";
  if (!is_good) has_disturbed_ = true;
}

std::string PlotFrame::Finish() && {
  std::string note;
  if (has_whisker_) note += "Whiskers: " + whiskers_ + ". ";
  if (has_disturbed_) note += "†, hollow: disturbed by other work. ";
  if (!note.empty()) text_ += Text(12, note_, "", note);
  const std::string width = Pixels(kWidth), height = Pixels(note_ + (note.empty() ? -8 : 10));
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"vp\" role=\"img\" viewBox=\"0 0 " +
         width + " " + height + "\" font-family=\"sans-serif\" font-size=\"13\" fill=\"" +
         std::string(kInk) + "\" style=\"max-width:640px;width:100%\" aria-label=\"" + name_ +
         "\">" + Style() + "<title>" + name_ + "</title><rect width=\"" + width + "\" height=\"" +
         height + "\" class=\"vp-page\" fill=\"" + std::string(kLightPage) + "\"/>" + text_ +
         // Again, over the bars that stand on it.
         LineBetween(kLeft, bottom_, kRight, bottom_, "vp-axis") + "</svg>\n";
}

}  // namespace program
