// Decimal numbers in files. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace graph {

// All of the text as a number, after a plus where there is one. One that is too small for a double
// is 0. None where it is no number, too large, an infinity or nan.
std::optional<double> FiniteNumber(std::string_view text);

}  // namespace graph
