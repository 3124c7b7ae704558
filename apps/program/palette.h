// The colors of the series of a plot. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace program {

// Eight series stay distinct by color, on white and on a dark page, for readers with most kinds of
// color vision; plots have as many marks, so that the series stay distinct in gray print, too.
constexpr int kColors = 8;
constexpr std::array<std::string_view, kColors> kLightColors = {
    "#0072b2", "#d55e00", "#009e73", "#8a3fb0", "#8c7a00", "#e0569a", "#5c5c5c", "#6e1423"};
constexpr std::array<std::string_view, kColors> kDarkColors = {
    "#4da6e0", "#f08a4b", "#2cc79b", "#c79bf2", "#f0d848", "#ff8fc0", "#b4b4b4", "#d9534f"};
constexpr std::string_view kLightPage = "#ffffff", kDarkPage = "#181818";

// As WCAG 2 defines it, between 1 and 21; of colors as "#0072b2".
double Contrast(std::string_view color, std::string_view other);

// The distance of two colors as the eye sees them: CIE 1976, in L*a*b*. Below 10 they look alike.
double ColorDistance(std::string_view color, std::string_view other);

}  // namespace program
