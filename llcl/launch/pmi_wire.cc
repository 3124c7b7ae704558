#include "llcl/launch/pmi_wire.h"

#include <algorithm>

namespace llcl {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string PmiMessage::ValueOf(std::string_view name) const {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.name == name; });
  return found == words.end() ? std::string() : found->value;
}

std::string FormatPmi(const PmiMessage& message) {
  std::string line = "cmd=" + message.command;
  for (const auto& [name, value] : message.words) {
    line += ' ';
    line += name;
    line += '=';
    line += value;
  }
  return line + '\n';
}

std::optional<PmiMessage> ParsePmi(std::string_view line) {
  PmiMessage message;
  bool has_words = false;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    has_words = true;
    const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name != "cmd") {
      message.words.push_back({std::string(name), std::string(value)});
    } else if (message.command.empty()) {
      message.command = value;
    }
  }
  if (!has_words) return std::nullopt;
  return message;
}

std::string ToPmiValue(std::string_view bytes) {
  std::string value;
  for (const char byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    value += kDigits[number >> 4];
    value += kDigits[number & 15];
  }
  return value;
}

std::optional<std::string> FromPmiValue(std::string_view value) {
  if (value.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < value.size(); i += 2) {
    const std::size_t high = kDigits.find(value[i]), low = kDigits.find(value[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

}  // namespace llcl
