// The states of a level of a count edge by edge, forecast. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simpath {

// A value: after a stage.
struct LevelForecast {
  std::size_t step = 0;  // the last that is done, counted from 0
  int width = 0;         // vertices in the frontier while it is decided
  std::size_t states = 0;
  int count_bits = 0;  // of all ways to these states together
  std::uint64_t bytes =
      0;  // of all states and what is put aside for them, as CountByParts has them
};

}  // namespace simpath
