// Random numbers that are the same on every machine. Pure.
//
// The numbers are multiples of 1/64. Short sums and products of such numbers are exact, in any
// order and with or without fused operations, so that a family's bits depend on the seed alone.
//
// Source: SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/graph/scramble.h"

namespace sdpa {

// A value.
class Random {
 public:
  // Neighboring seeds have nothing in common.
  explicit Random(std::uint64_t seed) : state_(graph::Mix(seed + 1)) {}

  // 0 to bound - 1. The upper half of a product: of bounds below 2^32 no number is preferred by
  // more than 2^-32.
  int Below(int bound) {
    const std::uint64_t upper = Next() >> 32;
    return static_cast<int>(upper * static_cast<std::uint64_t>(bound) >> 32);
  }
  bool Coin() { return Next() >> 63 != 0; }

  // From -1 to 1, in steps of 1/steps, a power of two up to 64.
  double Fraction(int steps = 64) {
    return static_cast<double>(Below(2 * steps + 1) - steps) / steps;
  }
  // As Fraction, but for 0.
  double NonZero(int steps = 64) {
    const double size = static_cast<double>(1 + Below(steps)) / steps;
    return Coin() ? size : -size;
  }
  // From 1/2 to 2.
  double Positive() { return static_cast<double>(32 + Below(97)) / 64; }

  // 0 to count - 1 in random order.
  std::vector<int> Order(int count) {
    std::vector<int> order(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const auto other = static_cast<std::size_t>(Below(i + 1));
      order[static_cast<std::size_t>(i)] = order[other];
      order[other] = i;
    }
    return order;
  }

 private:
  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    return graph::Mix(state_);
  }

  std::uint64_t state_;
};

}  // namespace sdpa
