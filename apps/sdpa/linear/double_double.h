// Numbers of about 32 digits: the sum of two doubles, of which the second is less than half of the
// first's last bit. Pure.
//
// Each product and each sum is to be rounded by itself, which compilers promise with
// -ffp-contract=off only; arithmetic.bzl gives it to all files of this program. Without it the last
// bits of a product may differ.
//
// Source: T. J. Dekker, A floating-point technique for extending the available precision, Numer.
// Math. 18, 1971; Y. Hida, X. S. Li and D. H. Bailey, Library for double-double and quad-double
// arithmetic, 2007.
#pragma once

#include <cmath>
#include <compare>

namespace sdpa {

// A value.
class DoubleDouble {
 public:
  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high_(value) {}  // NOLINT: each double is one

  constexpr double high() const { return high_; }
  constexpr double low() const { return low_; }
  explicit constexpr operator double() const { return high_; }

  friend constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.high_, -a.low_}; }
  friend constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble high = Sum(a.high_, b.high_), low = Sum(a.low_, b.low_);
    const DoubleDouble sum = QuickSum(high.high_, high.low_ + low.high_);
    return QuickSum(sum.high_, sum.low_ + low.low_);
  }
  friend constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
  friend constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble product = Product(a.high_, b.high_);
    return QuickSum(product.high_, product.low_ + (a.high_ * b.low_ + a.low_ * b.high_));
  }
  friend constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.high_ / b.high_;
    if (!(first - first == 0)) return first;  // no number, or not finite
    DoubleDouble rest = a - b * first;
    const double second = rest.high_ / b.high_;
    rest = rest - b * second;
    return QuickSum(first, second) + rest.high_ / b.high_;
  }
  constexpr DoubleDouble& operator+=(DoubleDouble other) { return *this = *this + other; }
  constexpr DoubleDouble& operator-=(DoubleDouble other) { return *this = *this - other; }
  constexpr DoubleDouble& operator*=(DoubleDouble other) { return *this = *this * other; }
  constexpr DoubleDouble& operator/=(DoubleDouble other) { return *this = *this / other; }

  // Of what is not negative.
  friend DoubleDouble sqrt(DoubleDouble a) {
    if (!(a.high_ > 0)) return std::sqrt(a.high_);
    const double first = std::sqrt(a.high_);
    const DoubleDouble rest = a - Product(first, first);
    return Sum(first, rest.high_ / (2 * first));
  }

  friend constexpr bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
  friend constexpr std::partial_ordering operator<=>(DoubleDouble a, DoubleDouble b) {
    const auto of_high = a.high_ <=> b.high_;
    return of_high == 0 ? a.low_ <=> b.low_ : of_high;
  }

 private:
  constexpr DoubleDouble(double high, double low) : high_(high), low_(low) {}

  // a + b, exactly; where |a| >= |b| by the shorter way.
  static constexpr DoubleDouble Sum(double a, double b) {
    const double sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
  }
  static constexpr DoubleDouble QuickSum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
  // a b, exactly: by one operation where the processor has it, else of halves whose products are.
  static constexpr DoubleDouble Product(double a, double b) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    const double fused = a * b;
    return {fused, __builtin_fma(a, b, -fused)};
#else
    constexpr double kHalf = 134217729;  // 2^27 + 1
    const double a_scaled = kHalf * a, b_scaled = kHalf * b;
    const double a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
    const double a_low = a - a_high, b_low = b - b_high;
    const double product = a * b;
    return {product,
            ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
  }

  double high_ = 0, low_ = 0;
};

}  // namespace sdpa
