// What a task does to a block.
//
// Source: [WLBS20] sections 2.1, 3.1. The paper's programs say `out` also of what a task reads and
// changes; taken by the word nothing would be copied for it, and the result would be wrong: that
// is kInOut here.
#pragma once

#include <cstdint>

#include "taskrt/language.h"

namespace taskrt {

enum class Mode : std::uint8_t {
  kIn,           // reads
  kOut,          // writes all of it, and does not read what was there
  kInOut,        // reads, and changes
  kCommutative,  // as kInOut, before or after others that say so, one at a time
  kReduction,    // adds to it; others that say so may too, at the same time (SetReduction)
};

constexpr bool Reads(Mode mode) { return mode != Mode::kOut; }
constexpr bool Writes(Mode mode) { return mode != Mode::kIn; }
constexpr bool Commutes(Mode mode) {
  return mode == Mode::kCommutative || mode == Mode::kReduction;
}

}  // namespace taskrt
