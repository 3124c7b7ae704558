#include "apps/simpath/array/bound.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace simpath {
namespace {

// The logarithm to base 2 of the colorings, cell by cell: a number for each coloring of the last
// columns + 1 cells, the latest being the lowest bit.
double LogColorings(int rows, int columns) {
  const std::size_t states = std::size_t{1} << (columns + 1);
  std::vector<double> ways(states, 0), next(states);
  ways[0] = 1;
  double log = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      std::fill(next.begin(), next.end(), 0.0);
      double sum = 0;
      for (std::size_t state = 0; state < states; ++state) {
        if (ways[state] == 0) continue;
        const std::size_t left = state & 1, above = state >> (columns - 1) & 1,
                          above_left = state >> columns & 1;
        for (std::size_t color = 0; color < 2; ++color) {
          const bool checkerboard =
              row > 0 && column > 0 && color == above_left && left == above && left != color;
          if (checkerboard) continue;
          next[(state << 1 | color) & (states - 1)] += ways[state];
          sum += ways[state];
        }
      }
      for (double& number : next) number /= sum;
      log += std::log2(sum);
      ways.swap(next);
    }
  }
  return log;
}

}  // namespace

int PathBits(int rows, int columns) {
  constexpr int kStrip = 11;
  double log = 0;
  for (int left = columns; left > 0; left -= kStrip) {
    log += LogColorings(rows, std::min(left, kStrip));
  }
  return static_cast<int>(std::floor(log + 1e-6)) + 1;
}

}  // namespace simpath
