// Against __float128, which has 113 bits.
#include "apps/sdpa/linear/double_double.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

#include "tools/random/seeds.h"

namespace sdpa {
namespace {

using Wide = __float128;

constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                 kNaN = std::numeric_limits<double>::quiet_NaN();

Wide WideOf(DoubleDouble a) { return static_cast<Wide>(a.high()) + a.low(); }
Wide SizeOf(Wide a) { return a < 0 ? -a : a; }

// About 2^-100.
constexpr double kBits = 1e-30;

// Numbers of many sizes, whose second parts are long, short or 0.
DoubleDouble RandomNumber(std::mt19937_64& random) {
  std::uniform_real_distribution<double> part(-1, 1);
  const DoubleDouble high = std::ldexp(part(random), static_cast<int>(random() % 120) - 60);
  const double low = random() % 4 == 0 ? 0 : high.high() * part(random);
  return high + std::ldexp(low, -53 - static_cast<int>(random() % 40));
}

void ExpectNear(DoubleDouble found, Wide expected, Wide size, const char* what) {
  EXPECT_LE(static_cast<double>(SizeOf(WideOf(found) - expected)),
            kBits * static_cast<double>(SizeOf(size)))
      << what;
  EXPECT_EQ(found.high() + found.low(), found.high()) << what << " is not normalized";
}

TEST(DoubleDouble, ComputesWithAHundredBits) {
  const std::uint64_t first = random_programs::FirstSeed(),
                      programs = random_programs::Programs(20000);
  std::printf("seeds %ju to %ju\n", static_cast<std::uintmax_t>(first),
              static_cast<std::uintmax_t>(first + programs - 1));
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::mt19937_64 random(seed);
    const DoubleDouble a = RandomNumber(random), b = RandomNumber(random);
    const Wide wide_a = WideOf(a), wide_b = WideOf(b);
    // What is left of a difference has the error of its larger part, at most.
    ExpectNear(a + b, wide_a + wide_b, SizeOf(wide_a) + SizeOf(wide_b), "sum");
    ExpectNear(a - b, wide_a - wide_b, SizeOf(wide_a) + SizeOf(wide_b), "difference");
    ExpectNear(a * b, wide_a * wide_b, wide_a * wide_b, "product");
    if (b != DoubleDouble(0)) ExpectNear(a / b, wide_a / wide_b, wide_a / wide_b, "quotient");
    const DoubleDouble size = a < DoubleDouble(0) ? -a : a;
    const Wide root = WideOf(sqrt(size));
    ExpectNear(sqrt(size), root, root, "root");
    EXPECT_LE(static_cast<double>(SizeOf(root * root - WideOf(size))),
              kBits * static_cast<double>(WideOf(size)));

    EXPECT_EQ(a < b, wide_a < wide_b);
    EXPECT_EQ(a == b, wide_a == wide_b);
    EXPECT_EQ(a > b, wide_a > wide_b);
    DoubleDouble sum = a;
    sum += b;
    EXPECT_EQ(sum, a + b);
    sum = a;
    sum /= b;
    EXPECT_EQ(sum, a / b);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(DoubleDouble, NumbersNextToEachOtherAreOrderedByTheirSecondPart) {
  const DoubleDouble one(1), more = one + 0x1p-80, less = one - 0x1p-80;
  EXPECT_LT(less, one);
  EXPECT_LT(one, more);
  EXPECT_LE(one, one);
  EXPECT_NE(one, more);
  EXPECT_EQ((more - one).high(), 0x1p-80);
  EXPECT_EQ((less - one).high(), -0x1p-80);
  EXPECT_EQ(more - more, DoubleDouble(0));
}

TEST(DoubleDouble, SumsOfManyLoseNothing) {
  DoubleDouble sum(0);
  for (int i = 0; i < 1000; ++i) sum += DoubleDouble(1) / DoubleDouble(1000);
  EXPECT_LT(std::abs(static_cast<double>(sum - DoubleDouble(1))), 1e-28);
}

TEST(DoubleDouble, ZeroIsOne) {
  const DoubleDouble zero(0), three(3);
  EXPECT_EQ(zero + three, three);
  EXPECT_EQ(zero * three, zero);
  EXPECT_EQ(zero / three, zero);
  EXPECT_EQ(sqrt(zero), zero);
  EXPECT_EQ(three - three, zero);
  EXPECT_EQ(-zero, zero);
}

TEST(DoubleDouble, WhatIsNoNumberStaysNone) {
  const DoubleDouble nan(kNaN), infinity(kInfinity), one(1), zero(0);
  const auto is_no_number = [](DoubleDouble a) {
    return std::isnan(static_cast<double>(a)) || std::isinf(static_cast<double>(a));
  };
  for (const DoubleDouble a : {nan, infinity, -infinity}) {
    EXPECT_TRUE(is_no_number(a + one));
    EXPECT_TRUE(is_no_number(one - a));
    EXPECT_TRUE(is_no_number(a * DoubleDouble(-2)));
    EXPECT_TRUE(is_no_number(a / DoubleDouble(3)));
    EXPECT_TRUE(is_no_number(a * zero));
    EXPECT_TRUE(is_no_number(a - a));
    EXPECT_TRUE(is_no_number(a / a));
    EXPECT_TRUE(is_no_number(sqrt(a)));
  }
  EXPECT_TRUE(is_no_number(one / zero));
  EXPECT_TRUE(is_no_number(zero / zero));
  EXPECT_TRUE(is_no_number(sqrt(DoubleDouble(-1))));
  EXPECT_TRUE(is_no_number(sqrt(DoubleDouble(-1e-300))));
  EXPECT_TRUE(is_no_number(DoubleDouble(1e308) * DoubleDouble(1e10)));
  EXPECT_TRUE(is_no_number(DoubleDouble(1e308) + DoubleDouble(1e308)));
}

TEST(DoubleDouble, NothingIsAboveOrBelowWhatIsNoNumber) {
  const DoubleDouble nan(kNaN), one(1);
  EXPECT_FALSE(nan > one);
  EXPECT_FALSE(nan < one);
  EXPECT_FALSE(nan <= one);
  EXPECT_FALSE(nan == nan);
  EXPECT_FALSE(DoubleDouble(0) / DoubleDouble(0) > DoubleDouble(0));
  EXPECT_TRUE(DoubleDouble(kInfinity) > one);
}

}  // namespace
}  // namespace sdpa
