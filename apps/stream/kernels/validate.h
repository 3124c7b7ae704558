// Were the arrays computed right? The check is stream.c's: every element has the
// same history, so one scalar of each array, taken through the same steps, is
// the value that all should have; the average error must be rounding.
//
// Pure. Source: the rule of checkSTREAMresults in McCalpin's stream.c.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "apps/stream/kernels/kernel.h"

namespace stream {

// What stream.c's arrays hold when its timed loop starts.
inline constexpr double kFirstA = 2.0;
inline constexpr double kFirstB = 2.0;
inline constexpr double kFirstC = 0.0;

// Each repetition multiplies by 15. A double ends near 1e308, and the bitwise or
// of two doubles is sure to be one only up to 2^512.
inline constexpr int kMostRepetitions = 100;

// A value. What each element should be.
struct Expected {
  double a = kFirstA;
  double b = kFirstB;
  double c = kFirstC;
  double sink = 0;  // bits of b | bits of c, as the limit leaves them
};

// After that many rounds of Copy, Scale, Add, Triad.
Expected ExpectedAfter(int repetitions);

// A value. Elements of one array of one part, or of several parts, compared.
struct Errors {
  double sum = 0;             // of absolute errors
  std::int64_t elements = 0;  // compared
  std::int64_t wrong = 0;     // off by more than rounding
  double first_wrong = 0;     // value of the first such one
  Errors& operator+=(const Errors& other);
};

Errors Compare(const double* values, std::int64_t size, double expected);

// DataLoss naming the array, what was expected and what was found, where the
// average error is more than rounding or any element is not a number.
absl::Status Judge(std::string_view array, double expected, const Errors& errors);

}  // namespace stream
