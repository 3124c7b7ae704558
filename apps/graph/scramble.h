// A random-looking renaming of the numbers below a power of two, cheap in both directions. Pure.
#pragma once

#include <cstdint>

#include "apps/graph/edge_list.h"

namespace graph {

// Each bit of the result depends on all bits of x: a bijection, the last step of the generator
// SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
constexpr std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// A value: a bijection of [0, 2^scale), chosen by the seed. Each round multiplies by an odd number
// and adds, which carries low bits upward, then folds the upper half of the bits onto the lower.
class Scramble {
 public:
  // scale: 1 to 31.
  Scramble(int scale, std::uint64_t seed);

  Vertex operator()(Vertex vertex) const {
    for (const Round& round : rounds_) {
      vertex = (vertex * round.factor + round.summand) & mask_;
      vertex ^= vertex >> fold_;
    }
    return vertex;
  }

  Vertex Inverse(Vertex vertex) const;

 private:
  struct Round {
    std::uint32_t factor;   // odd
    std::uint32_t inverse;  // of the factor, modulo 2^32
    std::uint32_t summand;
  };

  Round rounds_[3];
  std::uint32_t mask_;
  int fold_;  // at least half of the bits: folding twice changes nothing
};

}  // namespace graph
