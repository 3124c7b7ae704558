// Numbers as text that is read again as the same number. Pure.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace sdpa {

// As few digits as that takes.
inline std::string Shortest(double value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

// 17 digits and an exponent, as printf's %.16e.
inline std::string SeventeenDigits(double value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::scientific, 16);
  return {text.data(), end};
}

// 32 digits and an exponent, of a pair of doubles; 17 of a double alone, `low` 0.
std::string Digits(double high, double low);

}  // namespace sdpa
