#include "apps/program/plot.h"

#include "apps/program/plot_axis.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++count;
  }
  return count;
}

LinePlot Figure8() {
  return {.title = "Triad <4-way>",
          .x_label = "threads",
          .y_label = "GB/s",
          .x_scale = Scale::kLog2,
          .lines = {{"scatter & co", {{1, 6}, {2, 12}, {4, 24}}}, {"none", {{1, 6}, {4, 9}}}}};
}

TEST(AxisTest, TicksFromZeroAreRoundAndReachTheHighestValue) {
  EXPECT_THAT(AxisFromZero(45).ticks, ElementsAre(0, 10, 20, 30, 40, 50));
  EXPECT_THAT(AxisFromZero(10).ticks, ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_EQ(AxisFromZero(0.9).high, 1);
  EXPECT_EQ(AxisFromZero(0).high, 1);
  for (double value = 1e-6; value < 1e12; value *= 1.7) {
    const Axis axis = AxisFromZero(value);
    EXPECT_GE(axis.high, value * (1 - 1e-9));
    EXPECT_LE(axis.ticks.size(), 7u) << value;
    EXPECT_GE(axis.ticks.size(), 3u) << value;
  }
}

TEST(AxisTest, PowersOfTwoLieEquallyFarApart) {
  const Axis axis = AxisBetween(1, 64, Scale::kLog2);
  EXPECT_THAT(axis.ticks, ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_DOUBLE_EQ(axis.Fraction(8), 0.5);
  EXPECT_THAT(AxisBetween(1, 12, Scale::kLog2).ticks, ElementsAre(1, 2, 4, 8));
}

TEST(AxisTest, CountsHaveTicksWhereTheyAreAndNoFractionOfOne) {
  EXPECT_THAT(AxisOver({2, 1, 2}, Scale::kLinear).ticks, ElementsAre(1, 2));
  EXPECT_THAT(AxisOver({2, 128, 180}, Scale::kLog2).ticks, ElementsAre(2, 128, 180));
  EXPECT_THAT(AxisOver({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, Scale::kLinear).ticks,
              ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST(AxisTest, TheLabelOfTheFirstTickIsPlainZero) {
  EXPECT_EQ(TickLabel(AxisFromZero(50).ticks[0]), "0");
}

TEST(AxisTest, ASingleValueLiesInTheMiddle) {
  EXPECT_EQ(AxisBetween(2, 2, Scale::kLog2).Fraction(2), 0.5);
}

TEST(PlotTest, EveryPointIsMarkedAndEveryLineIsInTheLegend) {
  const std::string svg = ToSvg(Figure8());
  EXPECT_EQ(Count(svg, "<polyline "), 2);
  // Two marks in the legend, three points of one line and two of the other.
  EXPECT_EQ(Count(svg, "vp-fill vp-c0"), 1 + 3);
  EXPECT_EQ(Count(svg, "vp-fill vp-c1"), 1 + 2);
  EXPECT_THAT(svg, HasSubstr("scatter &amp; co, threads 2: 12 GB/s"));
}

TEST(PlotTest, ATitleCannotBreakOutOfTheMarkup) {
  const std::string svg = ToSvg(Figure8());
  EXPECT_THAT(svg, HasSubstr("Triad &lt;4-way&gt;"));
  EXPECT_EQ(svg.find("<4-way>"), std::string::npos);
  EXPECT_EQ(EscapeXml("<a href='x' title=\"&\">\x01"),
            "&lt;a href=&#39;x&#39; title=&quot;&amp;&quot;&gt;");
}

TEST(PlotTest, HigherValuesAreDrawnHigher) {
  const std::string svg = ToSvg(
      LinePlot{.title = "t", .x_label = "x", .y_label = "y", .lines = {{"l", {{0, 1}, {1, 2}}}}});
  const std::size_t at = svg.find("<polyline points=\"");
  double x1, y1, x2, y2;
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "<polyline points=\"%lf,%lf %lf,%lf", &x1, &y1, &x2, &y2),
            4);
  EXPECT_LT(x1, x2);
  EXPECT_GT(y1, y2);
}

TEST(PlotTest, ALongLegendWrapsAndTheDrawingGrows) {
  LinePlot plot = Figure8();
  const auto height = [](const std::string& svg) {
    return std::atof(svg.c_str() + svg.find("viewBox=\"0 0 560.0 ") + 19);
  };
  const double before = height(ToSvg(plot));
  for (int i = 0; i < 6; ++i) plot.lines.push_back({"a name that is rather long", {{1, 1}}});
  EXPECT_GT(height(ToSvg(plot)), before);
}

TEST(PlotTest, TicksThatWouldTouchAreNotLabeledAndTheLastOneIs) {
  const LinePlot plot = {.title = "t",
                         .x_label = "x",
                         .y_label = "y",
                         .lines = {{"l", {{1000, 1}, {1001, 1}, {2000, 1}}}}};
  const std::string svg = ToSvg(plot);
  EXPECT_THAT(svg, HasSubstr(">2000</text>"));
  EXPECT_THAT(svg, HasSubstr(">1001</text>"));
  EXPECT_EQ(svg.find(">1000</text>"), std::string::npos);
}

TEST(PlotTest, ALongTitleTakesTwoLinesAndALongLabelIsNotLeftOfTheEdge) {
  LinePlot plot = Figure8();
  plot.title = "n = 32768 in blocks of 1024, simulated: speed by threads of the host";
  plot.y_label = "virtual seconds of the slowest rank";
  const std::string svg = ToSvg(plot);
  EXPECT_EQ(Count(svg, "class=\"vp-title\""), 2);
  const std::size_t at =
      svg.rfind("<text ", svg.find("virtual seconds of the slowest rank</text>"));
  EXPECT_EQ(svg.substr(at, 15), "<text x=\"12.0\" ");
}

TEST(PlotTest, ADisturbedPointIsHollowAndAPlotSaysWhatThatMeans) {
  LinePlot plot = Figure8();
  EXPECT_EQ(Count(ToSvg(plot), "class=\"vp-hollow"), 0);
  EXPECT_EQ(Count(ToSvg(plot), "disturbed"), 0);
  plot.lines[0].points[1].quality = Quality::kDisturbed;
  EXPECT_EQ(Count(ToSvg(plot), "class=\"vp-hollow"), 1);
  EXPECT_THAT(ToSvg(plot), HasSubstr("†, hollow: disturbed by other work."));
}

TEST(PlotTest, AWhiskerReachesAsHighAsItsValue) {
  BarPlot plot = {.title = "t",
                  .y_label = "y",
                  .groups = {"a"},
                  .bars = {{"b", {50}, {Whisker{.low = 40, .high = 180}}}}};
  const std::string svg = ToSvg(plot);
  EXPECT_EQ(Count(svg, "class=\"vp-whisker"), 1);
  EXPECT_THAT(svg, HasSubstr(">200</text>")) << "the axis reaches beyond it";
  EXPECT_THAT(svg, HasSubstr("Whiskers: quartiles."));
}

TEST(PlotTest, APlotSaysWhatItsWhiskersReachTo) {
  LinePlot plot = Figure8();
  plot.whiskers = "95 % confidence";
  EXPECT_EQ(Count(ToSvg(plot), "Whiskers:"), 0);
  plot.lines[0].points[0].whisker = Whisker{.low = 1, .high = 2};
  EXPECT_THAT(ToSvg(plot), HasSubstr("Whiskers: 95 % confidence."));
}

TEST(PlotTest, NumbersStandAboveBarsThatAreWideEnough) {
  BarPlot plot = {.title = "t", .y_label = "y", .groups = {"a"}, .bars = {{"b", {12.34}}}};
  EXPECT_THAT(ToSvg(plot), HasSubstr(">12.3</text>"));
  for (int i = 0; i < 40; ++i) plot.bars.push_back({"c", {12.34}});
  EXPECT_EQ(ToSvg(plot).find(">12.3</text>"), std::string::npos);
}

TEST(PlotTest, AGroupsLongNameTakesSeveralLines) {
  const BarPlot plot = {.title = "t",
                        .y_label = "y",
                        .groups = {"one", "a rather long name", "c", "d", "e", "f", "g"},
                        .bars = {{"b", {1, 2, 3, 4, 5, 6, 7}}}};
  EXPECT_THAT(ToSvg(plot), HasSubstr(">a rather</text>"));
}

TEST(PlotTest, ASeriesCanHaveItsColorOfAnotherPlot) {
  const BarPlot plot = {
      .title = "t",
      .y_label = "y",
      .groups = {"a"},
      .bars = {{.name = "b", .values = {1}, .color = 3}, {.name = "c", .values = {1}}}};
  const std::string svg = ToSvg(plot);
  EXPECT_EQ(Count(svg, "vp-fill vp-c3"), 2) << "legend and bar";
  EXPECT_EQ(Count(svg, "vp-fill vp-c1"), 2);
}

TEST(PlotTest, EightSeriesDifferInColorAndInMark) {
  LinePlot plot = {.title = "t", .x_label = "x", .y_label = "y", .lines = {}};
  for (int i = 0; i < 8; ++i) plot.lines.push_back({std::to_string(i), {{1, 1}}});
  const std::string svg = ToSvg(plot);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Count(svg, "vp-fill vp-c" + std::to_string(i) + "\""), 2) << "legend and point";
  }
}

TEST(PlotTest, APlotWithoutPointsIsAnEmptyFrame) {
  EXPECT_THAT(ToSvg(LinePlot{.title = "empty"}), HasSubstr("</svg>"));
  EXPECT_THAT(ToSvg(BarPlot{.title = "empty"}), HasSubstr("</svg>"));
}

TEST(PlotTest, BarsHaveTheHeightOfTheirValues) {
  const std::string svg = ToSvg(BarPlot{.title = "t",
                                        .y_label = "GB/s",
                                        .groups = {"copy", "triad"},
                                        .bars = {{"tuned", {50, 100}}, {"plain", {25, 75}}}});
  std::vector<double> heights;
  for (std::size_t at = 0; (at = svg.find("<rect x=", at)) != std::string::npos; ++at) {
    heights.push_back(std::atof(svg.c_str() + svg.find("height=\"", at) + 8));
  }
  ASSERT_EQ(heights.size(), 4u);  // copy: tuned, plain; triad: tuned, plain
  EXPECT_NEAR(heights[0], heights[2] / 2, 0.2);
  EXPECT_NEAR(heights[1], heights[0] / 2, 0.2);
  EXPECT_NEAR(heights[3], heights[2] * 0.75, 0.2);
}

// librsvg and LaTeX do not know var(): without colors of their own, shapes are black.
TEST(Plots, EveryShapeHasAPlainColor) {
  const std::string line = ToSvg(
      LinePlot{.title = "t",
               .x_label = "x",
               .y_label = "y",
               .x_scale = Scale::kLinear,
               .lines = {{.name = "a", .points = {{.x = 1, .y = 2, .whisker = Whisker{1, 3}}}}}});
  const std::string bars = ToSvg(BarPlot{.title = "t",
                                         .x_label = "x",
                                         .y_label = "y",
                                         .groups = {"g"},
                                         .bars = {{.name = "a", .values = {1}}}});
  for (const std::string& svg : {line, bars}) {
    for (const std::string shape : {"<polyline", "<circle", "<path", "<line", "<rect", "<svg"}) {
      for (std::size_t at = svg.find(shape); at != std::string::npos;
           at = svg.find(shape, at + 1)) {
        const std::string element = svg.substr(at, svg.find('>', at) - at);
        EXPECT_TRUE(element.find(" fill=\"") != std::string::npos ||
                    element.find(" stroke=\"#") != std::string::npos)
            << element;
        EXPECT_EQ(element.find("var("), std::string::npos) << element;
      }
    }
  }
}

}  // namespace
}  // namespace program
