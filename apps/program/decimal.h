// Whole numbers of flags are decimal. Only for sources that declare flags, as it includes CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

namespace program {

// Drops zeros in front, by which CLI11 would read an octal number: people pad ids. Refuses what
// begins as a hexadecimal or a binary number.
inline CLI::Validator Decimal() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (text.find_first_not_of("0123456789") != std::string::npos) {
          return "'" + text + "' is no decimal number";
        }
        text.erase(0, std::min(text.find_first_not_of('0'), text.empty() ? 0 : text.size() - 1));
        return "";
      },
      "", "decimal");
}

}  // namespace program
