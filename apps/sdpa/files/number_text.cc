#include "apps/sdpa/files/number_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/linear/double_double.h"

namespace sdpa {
namespace {

// By squaring.
DoubleDouble PowerOfTen(int exponent) {
  DoubleDouble power = 1, square = 10;
  for (int rest = std::abs(exponent); rest > 0; rest /= 2) {
    if (rest % 2 == 1) power *= square;
    square *= square;
  }
  return power;
}

}  // namespace

std::string Digits(double high, double low) {
  if (low == 0 || high == 0 || !std::isfinite(high)) return SeventeenDigits(high);
  DoubleDouble rest = DoubleDouble(high) + low;
  const bool is_negative = rest < DoubleDouble(0);
  if (is_negative) rest = -rest;
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(high))));
  // In two steps: ten to the 308th, or its inverse, is near the last of the doubles.
  for (const int part : {exponent / 2, exponent - exponent / 2}) {
    rest = part > 0 ? rest / PowerOfTen(part) : rest * PowerOfTen(part);
  }
  if (rest >= DoubleDouble(10)) {
    rest /= 10;
    ++exponent;
  } else if (rest < DoubleDouble(1)) {
    rest *= 10;
    --exponent;
  }
  constexpr int kDigits = 32;
  std::string digits;
  for (int i = 0; i <= kDigits; ++i) {
    double digit = std::floor(rest.high());
    if (DoubleDouble(digit) > rest) --digit;  // the second of the pair is below 0
    digits += static_cast<char>('0' + static_cast<int>(digit));
    rest = (rest - digit) * 10;
  }
  // The last one rounds the others.
  const bool is_up = digits.back() >= '5';
  digits.pop_back();
  if (is_up) {
    std::size_t i = digits.size();
    while (i > 0 && digits[i - 1] == '9') digits[--i] = '0';
    if (i > 0) {
      ++digits[i - 1];
    } else {
      digits.insert(digits.begin(), '1');
      digits.pop_back();
      ++exponent;
    }
  }
  return absl::StrCat(is_negative ? "-" : "", digits.substr(0, 1), ".", digits.substr(1),
                      exponent < 0 ? "e-" : "e+", std::abs(exponent) < 10 ? "0" : "",
                      std::abs(exponent));
}

}  // namespace sdpa
