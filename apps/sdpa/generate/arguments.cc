#include "apps/sdpa/generate/arguments.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/sdpa/files/tokens.h"

namespace sdpa {
namespace {

// Of all blocks, and of one that is dense, whose X and Y are products of that many rows: so that
// what is made takes less than a minute, and 2 GB.
constexpr double kMostElements = 1e7;
constexpr int kMostRows = 2000;
constexpr std::size_t kMostBlocks = 1'000'000;

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<std::vector<Block>> BlocksOf(std::string_view text) {
  std::vector<Block> blocks;
  double elements = 0;
  for (std::string_view part : Split(text, '+')) {
    const bool is_diagonal = part.starts_with('d');
    if (is_diagonal) part.remove_prefix(1);
    const std::vector<std::string_view> factors = Split(part, 'x');
    const std::optional<int> rows = NumberOf<int>(factors[0]),
                             count = factors.size() > 1 ? NumberOf<int>(factors[1]) : 1;
    if (factors.size() > 2 || !rows || !count || *rows < 1 || *count < 1) return std::nullopt;
    const Shape shape = is_diagonal || *rows == 1 ? Shape::kDiagonal : Shape::kDense;
    elements += static_cast<double>(*count) * *rows * (shape == Shape::kDense ? *rows : 1);
    if (elements > kMostElements || (shape == Shape::kDense && *rows > kMostRows) ||
        blocks.size() + static_cast<std::size_t>(*count) > kMostBlocks) {
      return std::nullopt;
    }
    blocks.insert(blocks.end(), static_cast<std::size_t>(*count), {shape, *rows});
  }
  return blocks;
}

}  // namespace

std::string Alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  }
  return text;
}

absl::StatusOr<Arguments> Arguments::Parse(std::string_view text) {
  Arguments arguments;
  arguments.text_ = text;
  const std::size_t colon = std::min(text.find(':'), text.size());
  arguments.family_ = text.substr(0, colon);
  if (colon == text.size()) return arguments;
  const auto parts = Split(text.substr(colon + 1), ',');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part(parts[i]);
    const std::size_t equals = part.find('=');
    const bool is_word = equals == std::string::npos && i == 0 && !part.empty();
    if (!is_word && (equals == std::string::npos || equals == 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", arguments.text_, "': found '", part, "', expected key=value"));
    }
    const std::string key = is_word ? "" : part.substr(0, equals);
    if (!arguments.given_.emplace(key, is_word ? part : part.substr(equals + 1)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", arguments.text_, "': ", key, " is given twice"));
    }
  }
  return arguments;
}

const std::string* Arguments::Find(const std::string& key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  const auto found = given_.find(key);
  return found == given_.end() ? nullptr : &found->second;
}

void Arguments::Refuse(const std::string& key, const std::string& expected) {
  if (!first_error_.ok()) return;
  const auto found = given_.find(key);
  const std::string name = key.empty() ? "" : key + " is ";
  first_error_ = absl::InvalidArgumentError(absl::StrCat(
      "'", text_, "': ", name,
      found == given_.end() ? std::string("not given") : absl::StrCat("'", found->second, "'"),
      ", expected ", expected));
}

std::string Arguments::Word(const std::vector<std::string>& allowed) { return Choice("", allowed); }

std::string Arguments::Choice(const std::string& key, const std::vector<std::string>& allowed) {
  const std::string* const value = Find(key);
  if (value == nullptr) return allowed[0];
  if (std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return *value;
  Refuse(key, Alternatives(allowed));
  return allowed[0];
}

int Arguments::Whole(const std::string& key, int otherwise, int least, int most) {
  const std::vector<int> numbers = Wholes(key, {otherwise}, least, most);
  if (numbers.size() == 1) return numbers[0];
  Refuse(key, absl::StrCat("a whole number from ", least, " to ", most));
  return otherwise;
}

std::uint64_t Arguments::Seed() {
  return static_cast<std::uint64_t>(Whole("seed", 1, 0, std::numeric_limits<int>::max()));
}

std::vector<int> Arguments::Wholes(const std::string& key, std::vector<int> otherwise, int least,
                                   int most) {
  const std::string* const value = Find(key);
  if (value == nullptr) return otherwise;
  std::vector<int> numbers;
  for (const std::string_view part : Split(*value, '+')) {
    const std::optional<int> number = NumberOf<int>(part);
    if (!number || *number < least || *number > most) {
      Refuse(key, absl::StrCat("a whole number from ", least, " to ", most));
      return otherwise;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<Block> Arguments::Blocks(const std::string& key, const std::string& otherwise) {
  const std::string* const value = Find(key);
  if (value != nullptr) {
    if (auto blocks = BlocksOf(*value)) return *std::move(blocks);
    Refuse(key,
           "sizes as 20+d10+5x300: a dense block of 20 rows, a diagonal of 10 and 300 dense "
           "blocks of 5, of at most 2,000 rows a dense one, 10^7 elements and 10^6 blocks");
  }
  return *BlocksOf(otherwise);
}

absl::Status Arguments::status() const {
  if (!first_error_.ok()) return first_error_;
  for (const auto& [key, value] : given_) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    std::vector<std::string> keys;
    for (const std::string& asked : asked_) {
      if (!asked.empty()) keys.push_back(asked);
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text_, "': no ", key.empty() ? "word" : "key", " '", key.empty() ? value : key, "'",
        keys.empty() ? std::string(" is expected") : ", expected " + Alternatives(keys)));
  }
  return absl::OkStatus();
}

}  // namespace sdpa
