#include "taskrt/ompc/translate/device/device_words.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Functions of <math.h> and <stdlib.h> by their number of arguments.
int ArgumentsOf(std::string_view function) {
  static constexpr std::string_view kOne[] = {
      "acos", "acosh", "asin",  "asinh", "atan",  "atanh", "cbrt",  "ceil", "cos",    "cosh",
      "erf",  "erfc",  "exp",   "exp2",  "expm1", "fabs",  "floor", "log",  "log10",  "log1p",
      "log2", "rint",  "round", "sin",   "sinh",  "sqrt",  "tan",   "tanh", "tgamma", "trunc"};
  static constexpr std::string_view kTwo[] = {"atan2", "copysign", "fdim",  "fmax",
                                              "fmin",  "fmod",     "hypot", "pow"};
  const auto has = [&](const auto& some) {
    return std::find(std::begin(some), std::end(some), function) != std::end(some);
  };
  return has(kOne) ? 1 : has(kTwo) ? 2 : function == "fma" ? 3 : 0;
}

// The definition of C's function; empty: none is known.
std::string DefinitionOf(const std::string& function) {
  if (function == "abs" || function == "labs") {
    const std::string type = function == "abs" ? "int" : "long";
    return absl::StrCat(type, " ompc_", function, "(", type, " x) { return x < 0 ? -x : x; }\n");
  }
  int count = ArgumentsOf(function);
  std::string type = "double", opencl = function;
  if (count == 0 && function.ends_with('f')) {
    opencl.pop_back();
    type = "float";
    count = ArgumentsOf(opencl);
  }
  if (count == 0) return "";
  std::string parameters, arguments;
  for (int i = 0; i < count; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    absl::StrAppend(&parameters, comma, type, " x", i);
    absl::StrAppend(&arguments, comma, "x", i);
  }
  return absl::StrCat(type, " ompc_", function, "(", parameters, ") { return ", opencl, "(",
                      arguments, "); }\n");
}

bool IsStatement(std::string_view word) {
  static constexpr std::string_view kWords[] = {"if",     "else", "for",     "while", "do",
                                                "switch", "case", "default", "break", "continue"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// A line of the preprocessor that changes nothing: "# 12 "program.c"", or simd without variables.
bool IsWithoutEffect(std::string_view line) {
  const std::vector<Token> tokens = TokensOf(line.substr(1));
  if (tokens.empty()) return true;
  if (tokens[0].Is("line") || IsDigit(tokens[0].text[0])) return true;
  return tokens.size() == 3 && tokens[0].Is("pragma") && tokens[1].Is("omp") &&
         tokens[2].Is("simd");
}

}  // namespace

std::string DeviceNameOf(const std::string& name) { return absl::StrCat("v_", name); }

std::string DeviceBoundOf(const std::string& name, std::size_t dimension) {
  return absl::StrCat("n_", name, "_", dimension);
}

void DeviceWords::Add(const std::string& name, As as, const DeviceShape& shape) {
  known_[name] = {as, shape.rank()};
  UseType(shape.type);
}

std::string DeviceWords::functions() const {
  std::string text;
  for (const std::string& function : functions_) text += DefinitionOf(function);
  return text;
}

// "12", "0x1fu", "1LL", ".5f", "1e-3"; no long double, no hexadecimal floating point number.
bool DeviceWords::NumberAt(std::string_view text, std::size_t& at, std::vector<Word>& words) {
  const std::size_t begin = at;
  const bool is_hexadecimal =
      text.substr(at).starts_with("0x") || text.substr(at).starts_with("0X");
  bool is_floating = false;
  if (is_hexadecimal) at += 2;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_hex_digit = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    const bool is_exponent = !is_hexadecimal && (c == 'e' || c == 'E');
    if (is_exponent && at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-')) ++at;
    is_floating |= is_exponent || c == '.';
    if (!IsDigit(c) && c != '.' && !is_exponent && !(is_hexadecimal && is_hex_digit)) break;
  }
  if (is_hexadecimal && is_floating) return false;
  std::string digits(text.substr(begin, at - begin)), suffix;
  while (at < text.size() && IsWordCharacter(text[at])) {
    suffix += static_cast<char>(
        text[at] == 'U' || text[at] == 'L' || text[at] == 'F' ? text[at] - 'A' + 'a' : text[at]);
    ++at;
  }
  if (suffix == "ll") suffix = "l";
  if (suffix == "ull" || suffix == "llu" || suffix == "lu") suffix = "ul";
  const bool is_known = is_floating
                            ? suffix.empty() || suffix == "f"
                            : suffix.empty() || suffix == "u" || suffix == "l" || suffix == "ul";
  words.push_back({Word::Kind::kNumber, digits + suffix});
  return is_known;
}

bool DeviceWords::WordsOf(std::string_view text, std::vector<Word>& words) {
  static constexpr std::array<std::string_view, 21> kMarks = {
      "<<=", ">>=", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
      "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->"};
  const Source source(text, "");
  for (std::size_t at = source.AfterSpace(0); at < text.size(); at = source.AfterSpace(at)) {
    const char c = text[at];
    if (source.IsDirective(at)) {
      const std::size_t end = source.AfterDirective(at);
      if (!IsWithoutEffect(text.substr(at, end - at))) return false;
      at = end;
    } else if (const std::size_t after = source.AfterText(at); after > at) {
      if (c != '\'' || after != at + 3) return false;  // A string, or '\n' and its like.
      words.push_back({Word::Kind::kNumber, source.Text(at, after)});
      at = after;
    } else if (IsDigit(c) || (c == '.' && at + 1 < text.size() && IsDigit(text[at + 1]))) {
      if (!NumberAt(text, at, words)) return false;
    } else if (IsWordCharacter(c)) {
      words.push_back({Word::Kind::kName, source.WordAt(at)});
      at = source.AfterWord(at);
    } else {
      const std::string_view rest = text.substr(at);
      const auto mark = std::find_if(kMarks.begin(), kMarks.end(),
                                     [&](std::string_view each) { return rest.starts_with(each); });
      const std::string_view all = mark != kMarks.end() ? *mark : rest.substr(0, 1);
      static constexpr std::string_view kSingle = "+-*/%=<>!~&|^?:;,()[]{}";
      if (all == "->" || (all.size() == 1 && kSingle.find(c) == std::string_view::npos)) {
        return false;
      }
      words.push_back({Word::Kind::kMark, std::string(all)});
      at += all.size();
    }
  }
  return true;
}

bool DeviceWords::Write(std::string_view text, std::string& out) {
  std::vector<Word> words;
  declaring_ = 0;
  return WordsOf(text, words) && Write(words, 0, words.size(), out);
}

bool DeviceWords::Write(const std::vector<Word>& words, std::size_t begin, std::size_t end,
                        std::string& out) {
  int depth = 1;
  for (std::size_t at = begin; at < end;) {
    const Word& word = words[at];
    if (word.kind == Word::Kind::kName) {
      if (IsStatement(word.text)) {
        absl::StrAppend(&out, word.text, " ");
        ++at;
      } else if (IsDeviceTypeWord(word.text)) {
        const bool is_cast = at > begin && words[at - 1].Is("(");
        if (!WriteType(words, at, end, out)) return false;
        if (is_cast && at < end && words[at].Is(")")) {
          // Not of an address, nor of what is in braces.
          const bool is_value = at + 1 < end && !words[at + 1].Is("&") && !words[at + 1].Is("&&") &&
                                !words[at + 1].Is("{");
          if (!is_value) return false;
          continue;
        }
        declaring_ = depth;
        if (!WriteDeclared(words, at, end, out)) return false;
      } else if (!WriteName(words, at, end, out)) {
        return false;
      }
      continue;
    }
    if (word.kind == Word::Kind::kNumber) {
      const bool is_hexadecimal = word.text.starts_with("0x") || word.text.starts_with("0X");
      uses_double_ |= !is_hexadecimal && word.text[0] != '\'' && !word.text.ends_with('f') &&
                      word.text.find_first_of(".eE") != std::string::npos;
      absl::StrAppend(&out, word.text, " ");
      ++at;
      continue;
    }
    if (word.Is("&") || word.Is("&&")) {  // Of two values, not of an address.
      const bool is_behind_value =
          at > begin &&
          ((words[at - 1].kind == Word::Kind::kName && !IsStatement(words[at - 1].text)) ||
           words[at - 1].kind == Word::Kind::kNumber || words[at - 1].Is(")") ||
           words[at - 1].Is("]"));
      if (!is_behind_value) return false;
    }
    const bool is_gnu = (word.Is("(") && at + 1 < end && words[at + 1].Is("{")) ||
                        (word.Is("?") && at + 1 < end && words[at + 1].Is(":"));
    if (is_gnu) return false;
    if (word.Is("(") || word.Is("[") || word.Is("{")) ++depth;
    if (word.Is(")") || word.Is("]") || word.Is("}")) --depth;
    if (depth < 1) return false;
    absl::StrAppend(&out, word.text, word.Is("{") || word.Is(";") || word.Is("}") ? "\n" : " ");
    ++at;
    if (declaring_ != depth) continue;
    if (word.Is(";")) declaring_ = 0;
    if (word.Is(",") && !WriteDeclared(words, at, end, out)) return false;
  }
  return depth == 1;
}

bool DeviceWords::WriteType(const std::vector<Word>& words, std::size_t& at, std::size_t end,
                            std::string& out) {
  std::vector<std::string> type;
  bool is_const = false;
  for (; at < end && words[at].kind == Word::Kind::kName && IsDeviceTypeWord(words[at].text);
       ++at) {
    type.push_back(words[at].text);
    is_const |= words[at].Is("const");
  }
  const auto known = DeviceTypeOf(type);
  if (!known) return false;
  UseType(*known);
  absl::StrAppend(&out, is_const ? "const " : "", known->name, " ");
  return true;
}

// A name that the text declares, and the bounds of an array: numbers.
bool DeviceWords::WriteDeclared(const std::vector<Word>& words, std::size_t& at, std::size_t end,
                                std::string& out) {
  if (at == end || words[at].kind != Word::Kind::kName || IsStatement(words[at].text)) return false;
  const std::string& name = words[at].text;
  const auto outer = known_.find(name);
  if (macros_.contains(name) || IsDeviceTypeWord(name) ||
      (outer != known_.end() && outer->second.as != As::kItself)) {
    return false;
  }
  known_[name] = {};
  absl::StrAppend(&out, DeviceNameOf(name), " ");
  ++at;
  if (at < end && words[at].Is("(")) return false;
  for (bool is_in_bounds = false; at < end; ++at) {
    if (words[at].Is("[")) {
      is_in_bounds = true;
      if (at + 1 < end && words[at + 1].Is("]")) return false;
    }
    if (!is_in_bounds) break;
    std::string bound = words[at].text;
    if (words[at].kind == Word::Kind::kName) {
      bound.clear();
      if (!macros_.contains(words[at].text) || !WriteMacro(words[at].text, bound)) return false;
      // A number, through macros.
      if (bound.find("v_") != std::string::npos) return false;
    }
    out += bound;
    if (words[at].Is("]")) is_in_bounds = false;
  }
  return true;
}

bool DeviceWords::WriteName(const std::vector<Word>& words, std::size_t& at, std::size_t end,
                            std::string& out) {
  const std::string& name = words[at].text;
  const bool is_called = at + 1 < end && words[at + 1].Is("(");
  if (const auto found = known_.find(name); found != known_.end()) {
    const Known known = found->second;
    if (is_called) return false;
    if (known.as == As::kRow && known.rank > 1) return WriteElement(known, words, at, end, out);
    absl::StrAppend(
        &out,
        known.as == As::kPlace ? absl::StrCat("(*", DeviceNameOf(name), ")") : DeviceNameOf(name),
        " ");
    ++at;
    return true;
  }
  if (macros_.contains(name)) {
    ++at;
    return WriteMacro(name, out);
  }
  const std::string definition = DefinitionOf(name);
  if (!is_called || definition.empty()) return false;
  functions_.insert(name);
  uses_double_ |= definition.starts_with("double");
  absl::StrAppend(&out, "ompc_", name);
  ++at;
  return true;
}

// a[i][j] of rows of n elements is v_a[i * n + j]. An element alone: its address is no pointer to a
// row here.
bool DeviceWords::WriteElement(const Known& known, const std::vector<Word>& words, std::size_t& at,
                               std::size_t end, std::string& out) {
  const std::string& name = words[at].text;
  std::string place;
  ++at;
  for (std::size_t i = 0; i < known.rank; ++i) {
    if (at == end || !words[at].Is("[")) return false;
    const std::size_t begin = at + 1;
    for (int depth = 0; at < end; ++at) {
      depth += words[at].Is("[") ? 1 : words[at].Is("]") ? -1 : 0;
      if (depth == 0) break;
    }
    if (at == end) return false;
    std::string index;
    if (!Write(words, begin, at, index)) return false;
    ++at;
    if (i == 0) {
      place = absl::StrCat("(long)(", index, ")");
      continue;
    }
    place = absl::StrCat("(", place, ") * ", DeviceBoundOf(name, i), " + (", index, ")");
  }
  absl::StrAppend(&out, DeviceNameOf(name), "[", place, "] ");
  return true;
}

// A macro without parameters, by its text.
bool DeviceWords::WriteMacro(const std::string& name, std::string& out) {
  const std::string& text = macros_.at(name);
  std::vector<Word> words;
  if (text.starts_with('(') || !WordsOf(text, words) || !expanding_.insert(name).second) {
    return false;
  }
  const bool is_expression =
      !words.empty() && std::none_of(words.begin(), words.end(), [](const Word& word) {
        return IsStatement(word.text) || IsDeviceTypeWord(word.text) || word.Is(";");
      });
  const bool is_written = is_expression && Write(words, 0, words.size(), out);
  expanding_.erase(name);
  return is_written;
}

}  // namespace taskrt
