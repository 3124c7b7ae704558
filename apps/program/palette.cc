#include "apps/program/palette.h"

#include <algorithm>
#include <cmath>

namespace program {
namespace {

// Red, green and blue as light: sRGB without its gamma, from 0 to 1.
std::array<double, 3> Linear(std::string_view color) {
  std::array<double, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const int byte = std::stoi(std::string(color.substr(1 + 2 * i, 2)), nullptr, 16);
    const double value = byte / 255.0;
    parts[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return parts;
}

double Luminance(std::string_view color) {
  const auto [red, green, blue] = Linear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// L*, a* and b*, under daylight (D65).
std::array<double, 3> Lab(std::string_view color) {
  const auto [red, green, blue] = Linear(color);
  const auto bent = [](double share) {
    return share > 0.008856 ? std::cbrt(share) : 7.787 * share + 16.0 / 116;
  };
  const double x = bent((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
  const double y = bent(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const double z = bent((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

double Contrast(std::string_view color, std::string_view other) {
  const auto [darker, lighter] = std::minmax({Luminance(color), Luminance(other)});
  return (lighter + 0.05) / (darker + 0.05);
}

double ColorDistance(std::string_view color, std::string_view other) {
  const auto a = Lab(color), b = Lab(other);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace program
