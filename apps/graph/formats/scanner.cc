#include "apps/graph/formats/scanner.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "apps/graph/finite_number.h"

namespace graph {
namespace {

// "a vertex from 1 to 5"
std::string Text(const Expected& expected) {
  std::string text = expected.noun;
  if (expected.low > expected.high) return text + ", of which there is none";
  text += " from " + std::to_string(expected.low);
  if (expected.high != ~std::uint64_t{0}) text += " to " + std::to_string(expected.high);
  return text;
}

// Fields may have the plus sign that from_chars refuses.
std::string_view WithoutPlus(std::string_view field) {
  return field.size() > 1 && field[0] == '+' && field[1] != '-' ? field.substr(1) : field;
}

template <typename Number>
bool IsA(std::string_view field) {
  Number number;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error != std::errc::invalid_argument && end == field.data() + field.size();
}

}  // namespace

std::string Quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string quoted = "'";
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      quoted += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      quoted += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return quoted + (text.size() > kLongest ? "...'" : "'");
}

bool Scanner::NextLine() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  fields_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (!fields_.empty() && fields_.back() == '\r') fields_.remove_suffix(1);
  ++line_;
  field_ = 0;
  may_skip_separator_ = false;
  return true;
}

bool Scanner::NextLineWithout(std::string_view comments) {
  while (NextLine()) {
    if (!AtLineEnd() && comments.find(fields_.front()) == std::string_view::npos) return true;
  }
  return false;
}

std::string_view Scanner::NextField() {
  if (AtLineEnd()) return {};
  std::size_t size = 1;
  while (size < fields_.size() && !IsBetween(fields_[size])) ++size;
  const std::string_view field = fields_.substr(0, size);
  fields_.remove_prefix(size);
  ++field_;
  may_skip_separator_ = true;
  return field;
}

bool Scanner::AtLineEnd() {
  std::size_t skipped = 0;
  while (skipped < fields_.size()) {
    const char c = fields_[skipped];
    if (c != ' ' && c != '\t') {
      if (separator_ == 0 || c != separator_ || !may_skip_separator_) break;
      may_skip_separator_ = false;
    }
    ++skipped;
  }
  fields_.remove_prefix(skipped);
  return fields_.empty();
}

absl::StatusOr<std::uint64_t> Scanner::Integer(const Expected& expected) {
  if (!AtLineEnd()) {
    // By hand: most of the time of large files is here. Numbers of 19 digits have no overflow.
    constexpr std::size_t kDigits = 19;
    const std::size_t most = std::min(fields_.size(), kDigits);
    std::uint64_t number = 0;
    std::size_t size = 0;
    for (; size < most; ++size) {
      const auto digit = static_cast<unsigned>(fields_[size] - '0');
      if (digit > 9) break;
      number = number * 10 + digit;
    }
    const bool ends = size == fields_.size() || IsBetween(fields_[size]);
    if (size > 0 && ends && number >= expected.low && number <= expected.high) {
      fields_.remove_prefix(size);
      ++field_;
      may_skip_separator_ = true;
      return number;
    }
    // More digits, zeros in front among them, or no number.
    const auto [end, error] =
        std::from_chars(fields_.data(), fields_.data() + fields_.size(), number);
    size = static_cast<std::size_t>(end - fields_.data());
    if (error == std::errc() && (size == fields_.size() || IsBetween(*end)) &&
        number >= expected.low && number <= expected.high) {
      fields_.remove_prefix(size);
      ++field_;
      may_skip_separator_ = true;
      return number;
    }
  }
  return FieldFault(NextField(), Text(expected));
}

absl::StatusOr<Vertex> Scanner::VertexId(std::uint64_t first, std::uint64_t last) {
  const auto id = Integer({"a vertex", first, last});
  if (!id.ok()) return id.status();
  return static_cast<Vertex>(*id - first);
}

absl::Status Scanner::ReadInteger(const char* noun, std::vector<double>* weights) {
  const std::string_view field = NextField();
  if (!IsA<std::int64_t>(WithoutPlus(field))) return FieldFault(field, noun);
  return Keep(field, noun, weights);
}

absl::Status Scanner::ReadReal(const char* noun, std::vector<double>* weights) {
  const std::string_view field = NextField();
  if (!IsA<double>(WithoutPlus(field))) return FieldFault(field, noun);
  return Keep(field, noun, weights);
}

absl::Status Scanner::Keep(std::string_view field, const char* noun, std::vector<double>* weights) {
  if (weights == nullptr) return absl::OkStatus();
  const std::optional<double> weight = FiniteNumber(field);
  if (!weight) return FieldFault(field, std::string(noun) + ", a finite number");
  weights->push_back(*weight);
  return absl::OkStatus();
}

absl::Status Scanner::EndLine() {
  return AtLineEnd() ? absl::OkStatus() : FieldFault(NextField(), "the end of the line");
}

absl::Status Scanner::Fault(std::string_view found, std::string_view expected) const {
  std::string text(file_);
  text += ":" + std::to_string(std::max(line_, std::uint64_t{1})) + ": found ";
  text += found;
  text += ", expected ";
  text += expected;
  return absl::InvalidArgumentError(text);
}

absl::Status Scanner::FieldFault(std::string_view field, std::string_view expected) const {
  if (field.empty()) return Fault("the end of the line", expected);
  return Fault(Quoted(field) + " as field " + std::to_string(field_), expected);
}

absl::Status Scanner::EndFault(std::string_view expected) const {
  return Fault(line_ == 0 ? "an empty file" : "the end of the file", expected);
}

}  // namespace graph
