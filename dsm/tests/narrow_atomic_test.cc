#include "dsm/home/narrow_atomic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace dsm {
namespace {

using llcl::AtomicOp;

template <typename T>
void ExpectAllOperationsAsOnTheWordAlone() {
  using Rule = std::function<T(T, T)>;
  const std::vector<std::pair<AtomicOp, Rule>> rules = {
      {AtomicOp::kAdd, [](T a, T b) { return static_cast<T>(a + b); }},
      {AtomicOp::kMin, [](T a, T b) { return std::min(a, b); }},
      {AtomicOp::kMax, [](T a, T b) { return std::max(a, b); }},
      {AtomicOp::kAnd, [](T a, T b) { return static_cast<T>(a & b); }},
      {AtomicOp::kOr, [](T a, T b) { return static_cast<T>(a | b); }},
      {AtomicOp::kXor, [](T a, T b) { return static_cast<T>(a ^ b); }},
      {AtomicOp::kSwap, [](T, T b) { return b; }},
      {AtomicOp::kCompareSwap, [](T a, T b) { return a == T(5) ? b : a; }},
  };
  constexpr std::size_t kWords = 4 / sizeof(T);
  for (std::size_t at = 0; at < kWords; ++at) {
    for (const auto& [op, rule] : rules) {
      for (int a = -130; a < 300; a += 5) {
        for (int b = -130; b < 300; b += 7) {
          alignas(4) std::array<T, kWords> words;
          words.fill(T(0x5A));
          words[at] = static_cast<T>(a);
          const NarrowPlace<T> place(&words[at]);
          ASSERT_EQ(static_cast<void*>(place.whole()), words.data());
          std::uint32_t whole = 0;
          std::memcpy(&whole, words.data(), 4);
          ASSERT_EQ(place.In(whole), words[at]);
          whole = place.Apply(whole, op, static_cast<T>(b), T(5));
          words[at] = rule(words[at], static_cast<T>(b));
          std::uint32_t expected = 0;
          std::memcpy(&expected, words.data(), 4);
          ASSERT_EQ(whole, expected) << "operation " << static_cast<int>(op) << " of " << a
                                     << " and " << b << ", word " << at;
        }
      }
    }
  }
}

TEST(NarrowPlace, HasAllOperationsOfTheWordAndChangesNoOther) {
  ExpectAllOperationsAsOnTheWordAlone<std::int8_t>();
  ExpectAllOperationsAsOnTheWordAlone<std::uint8_t>();
  ExpectAllOperationsAsOnTheWordAlone<std::int16_t>();
  ExpectAllOperationsAsOnTheWordAlone<std::uint16_t>();
}

}  // namespace
}  // namespace dsm
