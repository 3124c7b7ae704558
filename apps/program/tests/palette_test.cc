#include "apps/program/palette.h"

#include "gtest/gtest.h"

namespace program {
namespace {

TEST(PaletteTest, BlackOnWhiteHasTheMostContrast) {
  EXPECT_NEAR(Contrast("#000000", "#ffffff"), 21, 1e-9);
  EXPECT_NEAR(Contrast("#ffffff", "#000000"), 21, 1e-9);
  EXPECT_NEAR(Contrast("#777777", "#ffffff"), 4.48, 0.01);
  EXPECT_NEAR(ColorDistance("#000000", "#ffffff"), 100, 0.1);
}

TEST(PaletteTest, AnyTwoOfEightSeriesAreToldApart) {
  for (const auto& colors : {kLightColors, kDarkColors}) {
    for (std::size_t i = 0; i < colors.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GT(ColorDistance(colors[i], colors[j]), 28) << colors[i] << " " << colors[j];
      }
    }
  }
}

TEST(PaletteTest, EveryColorStandsOutFromItsPage) {
  // WCAG asks 3 of lines and marks.
  for (const std::string_view color : kLightColors) EXPECT_GE(Contrast(color, kLightPage), 3);
  for (const std::string_view color : kDarkColors) EXPECT_GE(Contrast(color, kDarkPage), 3);
}

}  // namespace
}  // namespace program
