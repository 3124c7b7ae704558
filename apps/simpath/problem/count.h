// Whole numbers of any size, for counts. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simpath {

// A value.
class Count {
 public:
  Count() = default;
  Count(std::uint64_t value) {  // NOLINT: a number is a count
    if (value != 0) words_.push_back(value);
  }
  // Of the lowest word first.
  explicit Count(std::span<const std::uint64_t> words);

  Count& operator+=(const Count& other);
  friend Count operator*(const Count& a, const Count& b);
  friend bool operator==(const Count&, const Count&) = default;
  friend bool operator<(const Count& a, const Count& b);

  int bits() const;  // of the highest that is set; 0 of zero
  std::span<const std::uint64_t> words() const { return words_; }
  std::string ToString() const;  // decimal

 private:
  void DropZeros();

  std::vector<std::uint64_t> words_;  // the lowest first; the last is not zero
};

// Whether a count is checked while it is made: modulo a prime more than it needs.
enum class Check { kOn, kOff };

}  // namespace simpath
