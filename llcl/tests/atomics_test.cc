#include "llcl/atomics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <thread>
#include <vector>

namespace llcl {
namespace {

template <typename T>
struct Row {
  AtomicOp op;
  T before, operand, expected, after;
};

template <typename T>
void Check(const std::vector<Row<T>>& rows) {
  for (const Row<T>& row : rows) {
    T word = row.before;
    const std::uint64_t old =
        Apply(TypeOf<T>(), row.op, &word, ToBits(row.operand), ToBits(row.expected));
    EXPECT_EQ(FromBits<T>(old), row.before) << "operation " << static_cast<int>(row.op);
    EXPECT_EQ(word, row.after) << "operation " << static_cast<int>(row.op);
  }
}

template <typename T>
void CheckInteger() {
  constexpr T kMost = std::numeric_limits<T>::max(), kLeast = std::numeric_limits<T>::min();
  Check<T>({{AtomicOp::kAdd, 40, 2, 0, 42},
            {AtomicOp::kAdd, kMost, 1, 0, kLeast},
            {AtomicOp::kMin, 5, 3, 0, 3},
            {AtomicOp::kMin, kLeast, kMost, 0, kLeast},
            {AtomicOp::kMax, 5, 3, 0, 5},
            {AtomicOp::kMax, kLeast, kMost, 0, kMost},
            {AtomicOp::kAnd, 12, 10, 0, 8},
            {AtomicOp::kOr, 12, 10, 0, 14},
            {AtomicOp::kXor, 12, 10, 0, 6},
            {AtomicOp::kSwap, 1, 2, 0, 2},
            {AtomicOp::kCompareSwap, 1, 2, 1, 2},
            {AtomicOp::kCompareSwap, 1, 2, 3, 1}});
}

TEST(Atomics, OfIntegersAreThoseOfTheirType) {
  CheckInteger<std::int32_t>();
  CheckInteger<std::uint32_t>();
  CheckInteger<std::int64_t>();
  CheckInteger<std::uint64_t>();
}

TEST(Atomics, OfFloatsAreThoseOfTheirType) {
  Check<float>({{AtomicOp::kAdd, 1.5f, 2.0f, 0, 3.5f},
                {AtomicOp::kMin, -1.0f, 1.0f, 0, -1.0f},
                {AtomicOp::kMax, -1.0f, 1.0f, 0, 1.0f},
                {AtomicOp::kSwap, 1.0f, 2.0f, 0, 2.0f},
                {AtomicOp::kCompareSwap, 1.0f, 2.0f, 1.0f, 2.0f}});
  Check<double>({{AtomicOp::kAdd, 1.5, 2.0, 0, 3.5},
                 {AtomicOp::kMin, -1.0, 1.0, 0, -1.0},
                 {AtomicOp::kMax, -1.0, 1.0, 0, 1.0},
                 {AtomicOp::kSwap, 1.0, 2.0, 0, 2.0},
                 {AtomicOp::kCompareSwap, 1.0, 2.0, 1.0, 2.0}});
}

TEST(Atomics, FloatsAreComparedByTheirBits) {
  double nan = std::nan("");
  Apply(AtomicType::kDouble, AtomicOp::kCompareSwap, &nan, ToBits(1.0), ToBits(nan));
  EXPECT_EQ(nan, 1.0);
  double zero = 0.0;
  Apply(AtomicType::kDouble, AtomicOp::kCompareSwap, &zero, ToBits(1.0), ToBits(-0.0));
  EXPECT_EQ(zero, 0.0);
}

TEST(Atomics, BitwiseOnesAreForIntegers) {
  EXPECT_FALSE(Exists(AtomicType::kFloat, AtomicOp::kXor));
  EXPECT_FALSE(Exists(AtomicType::kDouble, AtomicOp::kAnd));
  EXPECT_TRUE(Exists(AtomicType::kI32, AtomicOp::kXor));
  EXPECT_TRUE(Exists(AtomicType::kDouble, AtomicOp::kCompareSwap));
}

TEST(Atomics, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4, kTimes = 10'000;
  std::uint32_t counter = 0;
  double sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kTimes; ++j) {
        Apply(AtomicType::kU32, AtomicOp::kAdd, &counter, 1, 0);
        Apply(AtomicType::kDouble, AtomicOp::kAdd, &sum, ToBits(0.5), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, kThreads * kTimes);
  EXPECT_EQ(sum, 0.5 * kThreads * kTimes);
}

// Of some elements of a type: as one element at a time, wherever the result goes.
template <typename T>
void CheckCombine() {
  using enum AtomicOp;
  for (const AtomicOp op : {kAdd, kProduct, kMin, kMax, kAnd, kOr, kXor}) {
    if (!Exists(TypeOf<T>(), op)) continue;
    for (std::size_t elements = 0; elements < 12; ++elements) {
      std::vector<T> first, second, expected;
      for (std::size_t i = 0; i < elements; ++i) {
        first.push_back(static_cast<T>(3 * i + 1));
        second.push_back(static_cast<T>(20 - i));
        T word = first.back();
        (void)Apply(TypeOf<T>(), op, &word, ToBits(second.back()), 0);
        expected.push_back(word);
      }
      const auto combined = [&](auto to_of) {
        std::vector<T> a = first, b = second, apart(elements);
        std::vector<T>& to = to_of(a, b, apart);
        Combine(TypeOf<T>(), op, std::as_writable_bytes(std::span(to)), std::as_bytes(std::span(a)),
                std::as_bytes(std::span(b)));
        return to;
      };
      using Values = std::vector<T>;
      EXPECT_EQ(combined([](Values& a, Values&, Values&) -> Values& { return a; }), expected);
      EXPECT_EQ(combined([](Values&, Values& b, Values&) -> Values& { return b; }), expected);
      EXPECT_EQ(combined([](Values&, Values&, Values& c) -> Values& { return c; }), expected);
    }
  }
}

TEST(Atomics, CombinedArraysAreCombinedElementByElement) {
  CheckCombine<std::int32_t>();
  CheckCombine<std::uint32_t>();
  CheckCombine<std::int64_t>();
  CheckCombine<std::uint64_t>();
  CheckCombine<float>();
  CheckCombine<double>();
}

}  // namespace
}  // namespace llcl
