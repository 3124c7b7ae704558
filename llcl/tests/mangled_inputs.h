// Many mangled inputs of each seed, whose seed a failure prints.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/random/mangle.h"
#include "tools/random/seeds.h"

namespace llcl {

inline constexpr int kMangledInputs = 2000;  // a seed

// f(input) for each.
inline void ForEachMangled(const std::vector<std::string>& valid,
                           const std::function<void(const std::string& input)>& f) {
  const std::uint64_t first = random_programs::FirstSeed();
  for (std::uint64_t i = 0; i < random_programs::Programs(4); ++i) {
    SCOPED_TRACE("VICINITY_RANDOM_SEED=" + std::to_string(first + i));
    mangle::Mangler mangler(first + i, valid);
    for (int input = 0; input < kMangledInputs && !testing::Test::HasFailure(); ++input) {
      f(mangler.Next());
    }
  }
}

}  // namespace llcl
