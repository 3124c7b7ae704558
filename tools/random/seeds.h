// Which random programs a test runs: few and the same ones in every run, unless the environment
// asks for more or for others.
//
//   --test_env=VICINITY_RANDOM_PROGRAMS=N   how many
//   --test_env=VICINITY_RANDOM_SEED=S       the first one's seed, and the next has S + 1; `fresh`
//                                           is a seed of the system, which the test prints
//
// A program that fails is run again by its own seed and N = 1.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>

namespace random_programs {

inline std::uint64_t FirstSeed() {
  const char* const asked = std::getenv("VICINITY_RANDOM_SEED");
  if (asked == nullptr) return 1;
  // Tests that begin with seeds next to each other would run the same programs.
  if (std::string_view(asked) == "fresh") return std::uint64_t{std::random_device()()} * 1'000'000;
  return std::strtoull(asked, nullptr, 10);
}

// `otherwise`: where nobody asks.
inline std::uint64_t Programs(std::uint64_t otherwise) {
  const char* const asked = std::getenv("VICINITY_RANDOM_PROGRAMS");
  return asked == nullptr ? otherwise : std::strtoull(asked, nullptr, 10);
}

}  // namespace random_programs
