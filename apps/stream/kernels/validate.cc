#include "apps/stream/kernels/validate.h"

#include <bit>
#include <cmath>
#include <string>

#include "absl/strings/str_format.h"

namespace stream {
namespace {

// stream.c's bound for doubles, relative.
constexpr double kEpsilon = 1e-13;

bool WithinRounding(double error, double expected) {
  // Written so that an error that is not a number is not within.
  return error <= kEpsilon * std::abs(expected);
}

}  // namespace

Expected ExpectedAfter(int repetitions) {
  Expected value;
  for (int i = 0; i < repetitions; ++i) {
    value.c = value.a;
    value.b = kScalar * value.c;
    value.c = value.a + value.b;
    value.a = value.b + kScalar * value.c;
    value.sink = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value.b) |
                                       std::bit_cast<std::uint64_t>(value.c));
  }
  return value;
}

Errors& Errors::operator+=(const Errors& other) {
  if (wrong == 0) first_wrong = other.first_wrong;
  sum += other.sum;
  elements += other.elements;
  wrong += other.wrong;
  return *this;
}

Errors Compare(const double* values, std::int64_t size, double expected) {
  Errors errors;
  errors.elements = size;
  for (std::int64_t i = 0; i < size; ++i) {
    const double error = std::abs(values[i] - expected);
    errors.sum += error;
    if (!WithinRounding(error, expected)) {
      if (errors.wrong == 0) errors.first_wrong = values[i];
      ++errors.wrong;
    }
  }
  return errors;
}

absl::Status Judge(std::string_view array, double expected, const Errors& errors) {
  const double average =
      errors.elements > 0 ? errors.sum / static_cast<double>(errors.elements) : 0;
  if (WithinRounding(average, expected)) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat(
      "the answer is wrong: array %s should be %.17g throughout; %d of %d elements are not, the "
      "first is %.17g",
      std::string(array), expected, errors.wrong, errors.elements, errors.first_wrong));
}

}  // namespace stream
