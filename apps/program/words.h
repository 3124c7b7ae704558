// The words of an enumeration, on the command line and in results: one table parses a word, prints
// it, and lists all of them for --help and for the sentence about a wrong one. Pure.
//
//   inline constexpr program::Words<Figure> kFigures = {{Figure::kLatency, "latency"},
//                                                       {Figure::kRate, "rate"}};
//   const absl::StatusOr<Figure> figure = kFigures.Parse("--figure", text);
//   // --figure is 'size': it is latency or rate
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace program {

// A value. Each word stands for another value of the enumeration.
template <typename Enum>
class Words {
 public:
  struct Word {
    Enum value{};
    std::string_view text;
  };

  // At most kMost words, which outlive this; in the order of the list. More are an error of the
  // compiler where the table is constexpr.
  constexpr Words(std::initializer_list<Word> words) {
    for (const Word& word : words) words_[size_++] = word;
  }

  // Empty: the value has no word.
  constexpr std::string_view Print(Enum value) const {
    for (const Word& word : all()) {
      if (word.value == value) return word.text;
    }
    return "";
  }

  // InvalidArgument, a sentence that begins with `name`, lists all words.
  absl::StatusOr<Enum> Parse(std::string_view name, std::string_view text) const {
    for (const Word& word : all()) {
      if (word.text == text) return word.value;
    }
    return absl::InvalidArgumentError(std::string(name) + " is '" + std::string(text) +
                                      "': it is " + List());
  }

  // "a", "a or b", "a, b or c".
  std::string List() const {
    std::string list;
    for (std::size_t i = 0; i < size_; ++i) {
      if (i > 0) list += i + 1 < size_ ? ", " : " or ";
      list += words_[i].text;
    }
    return list;
  }

  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const Word& word : all()) texts.emplace_back(word.text);
    return texts;
  }

  constexpr std::span<const Word> all() const { return {words_.data(), size_}; }

 private:
  static constexpr std::size_t kMost = 16;

  std::array<Word, kMost> words_{};
  std::size_t size_ = 0;
};

}  // namespace program
