// Plots as SVG text: lines over numbers, bars over names.
//
// One self-contained <svg> element that scales to the width it is given (text
// stays readable in a page of 500 pixels), is read aloud by its title, and shows
// well on white, on black (by the reader's prefers-color-scheme) and in gray
// print: series differ by color and by mark, up to eight of them.
// The y axis starts at zero, so that heights compare as values do.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace program {

enum class Scale { kLinear, kLog2 };

// A value. Where the repetitions lie: drawn as a whisker between the two.
struct Whisker {
  double low = 0;
  double high = 0;
};

// Was the value measured while nothing else had a say (spread.h)? A disturbed one is hollow, with a
// dagger.
enum class Quality { kGood, kDisturbed };

struct Point {
  double x = 0;
  double y = 0;
  std::optional<Whisker> whisker = std::nullopt;
  Quality quality = Quality::kGood;
};

// A value. Points are joined in the order given.
struct Line {
  std::string name;
  std::vector<Point> points;
};

// A value.
struct LinePlot {
  std::string title;
  std::string x_label;  // with its unit
  std::string y_label;
  Scale x_scale = Scale::kLinear;  // kLog2: x > 0
  std::vector<Line> lines;
  std::string whiskers = "quartiles";  // what they reach to
};

// A value. One color of bars.
struct Bars {
  std::string name;
  std::vector<double> values;  // one a group
  // As of the values, or empty.
  std::vector<std::optional<Whisker>> whiskers = {};
  std::vector<Quality> qualities = {};
  // The index of its color, so that a series has the same one in several plots; none: its own
  // index.
  std::optional<int> color = std::nullopt;
};

// A value.
struct BarPlot {
  std::string title;
  std::string x_label = "";  // of the groups
  std::string y_label;
  std::vector<std::string> groups;  // names along the x axis
  std::vector<Bars> bars;
};

// The element, without an XML declaration, so that it may stand in HTML; as a
// file of its own it is valid too. Values must be finite, y at least 0.
std::string ToSvg(const LinePlot& plot);
std::string ToSvg(const BarPlot& plot);

// Text for use between tags and inside quoted attributes of XML and HTML.
std::string EscapeXml(std::string_view text);

}  // namespace program
