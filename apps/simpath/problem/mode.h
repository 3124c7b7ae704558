// The ways to count. Pure.
#pragma once

#include <string_view>

namespace simpath {

enum class Mode { kSequential, kEba, kPartition, kArray };

constexpr std::string_view ToString(Mode mode) {
  switch (mode) {
    case Mode::kSequential:
      return "sequential";
    case Mode::kEba:
      return "eba";
    case Mode::kPartition:
      return "partition";
    case Mode::kArray:
      return "array";
  }
  return "";
}

}  // namespace simpath
