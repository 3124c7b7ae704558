// The ways to count. Pure.
#pragma once

#include <string_view>

#include "apps/program/words.h"

namespace simpath {

enum class Mode { kSequential, kEba, kPartition, kArray };
inline constexpr program::Words<Mode> kModes = {{Mode::kSequential, "sequential"},
                                                {Mode::kEba, "eba"},
                                                {Mode::kPartition, "partition"},
                                                {Mode::kArray, "array"}};
constexpr std::string_view ToString(Mode mode) { return kModes.Print(mode); }

}  // namespace simpath
