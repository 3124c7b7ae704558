#include "taskrt/ompc/translate/device/device_types.h"

#include <algorithm>
#include <map>

namespace taskrt {
namespace {

const std::map<std::string, DeviceType>& Named() {
  static const auto& types = *new std::map<std::string, DeviceType>{
      {"size_t", {"ulong", 8, false, true}},    {"ptrdiff_t", {"long", 8, false, false}},
      {"ssize_t", {"long", 8, false, false}},   {"int8_t", {"char", 1, false, false}},
      {"uint8_t", {"uchar", 1, false, true}},   {"int16_t", {"short", 2, false, false}},
      {"uint16_t", {"ushort", 2, false, true}}, {"int32_t", {"int", 4, false, false}},
      {"uint32_t", {"uint", 4, false, true}},   {"int64_t", {"long", 8, false, false}},
      {"uint64_t", {"ulong", 8, false, true}}};
  return types;
}

bool IsRestrict(const Token& token) {
  return token.Is("restrict") || token.Is("__restrict") || token.Is("__restrict__");
}

// "[2][n + 1]"; none: something else, or a dimension without a bound.
std::optional<std::vector<std::string>> BoundsIn(std::string_view text) {
  const std::vector<Token> tokens = TokensOf(text);
  std::vector<std::string> bounds;
  for (std::size_t at = 0; at < tokens.size();) {
    const std::size_t end = AfterBrackets(tokens, at);
    if (!tokens[at].Is("[") || end <= at + 2 || !tokens[end - 1].Is("]")) return std::nullopt;
    bounds.push_back(Trimmed(text.substr(tokens[at].end, tokens[end - 1].begin - tokens[at].end)));
    at = end;
  }
  return bounds;
}

}  // namespace

bool IsDeviceTypeWord(const std::string& word) {
  static constexpr std::string_view kWords[] = {
      "char", "short", "int", "long", "float", "double", "unsigned", "signed", "const", "register"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords) ||
         Named().contains(word);
}

std::optional<DeviceType> DeviceTypeOf(std::span<const std::string> words) {
  std::map<std::string, int> count;
  std::size_t others = 0;
  for (const std::string& word : words) {
    if (word == "const" || word == "register") continue;
    if (!IsDeviceTypeWord(word)) return std::nullopt;
    ++others;
    if (const auto named = Named().find(word); named != Named().end()) {
      const auto is_other = [&](const std::string& each) {
        return each != word && each != "const" && each != "register";
      };
      if (std::any_of(words.begin(), words.end(), is_other)) return std::nullopt;
      return named->second;
    }
    ++count[word];
  }
  if (others == 0) return std::nullopt;
  const bool is_unsigned = count["unsigned"] > 0;
  if (others == 1 && count["float"] == 1) return DeviceType{"float", 4, true, false};
  if (others == 1 && count["double"] == 1) return DeviceType{"double", 8, true, false};
  if (count["float"] + count["double"] > 0) return std::nullopt;
  if (count["char"] > 0) {
    if (is_unsigned) return DeviceType{"uchar", 1, false, true};
    if (count["signed"] > 0) return DeviceType{"char", 1, false, false};
    return DeviceType{"ompc_char", 1, false, false};
  }
  const std::string sign = is_unsigned ? "u" : "";
  if (count["short"] > 0) return DeviceType{sign + "short", 2, false, is_unsigned};
  if (count["long"] > 0) return DeviceType{sign + "long", 8, false, is_unsigned};
  return DeviceType{sign + "int", 4, false, is_unsigned};
}

std::optional<DeviceShape> DeviceShapeOf(const Variable& variable) {
  std::vector<std::string> words;
  for (const Token& token : TokensOf(variable.specifiers)) words.push_back(token.text);
  const auto type = DeviceTypeOf(words);
  if (!type) return std::nullopt;
  DeviceShape shape{DeviceShape::Kind::kNumber, *type, {}};
  // "", "*", "*const" or "(*", whose parenthesis ends behind the name.
  std::vector<std::string> before;
  for (const Token& token : TokensOf(variable.before)) {
    if (!token.Is("const") && !IsRestrict(token)) before.push_back(token.text);
  }
  std::string_view after = variable.after;
  using Words = std::vector<std::string>;
  if (before == Words{"*"}) {
    if (!after.empty()) return std::nullopt;  // An array of pointers.
    shape.kind = DeviceShape::Kind::kPointer;
    return shape;
  }
  if (before == Words{"(", "*"} && after.starts_with(')')) {
    shape.kind = DeviceShape::Kind::kPointer;
    after.remove_prefix(1);
  } else if (!before.empty()) {
    return std::nullopt;
  } else if (!after.empty()) {
    shape.kind = DeviceShape::Kind::kArray;
  }
  const auto bounds = BoundsIn(after);
  if (!bounds || (shape.kind == DeviceShape::Kind::kPointer && bounds->empty()))
    return std::nullopt;
  shape.bounds = *bounds;
  return shape;
}

}  // namespace taskrt
