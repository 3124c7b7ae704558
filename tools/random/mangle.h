// Invalid inputs of a format, made from valid inputs: bytes are changed, removed, repeated and
// inserted, words become extreme numbers, and inputs are cut and joined. By a seed.
//
//   mangle::Mangler mangler(seed, {a_valid_input, another});
//   for (int i = 0; i < 10'000; ++i) Read(mangler.Next());
//
// Threads: one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mangle {

// A value.
class Mangler {
 public:
  // `valid`: not empty.
  Mangler(std::uint64_t seed, std::vector<std::string> valid)
      : random_(seed), valid_(std::move(valid)) {}

  // One to four valid inputs, joined, with up to eight changes; each eighth has none.
  std::string Next() {
    std::string input;
    for (std::uint64_t left = 1 + Below(4); left > 0; --left) input += valid_[Below(valid_.size())];
    for (std::uint64_t left = Below(9); left > 0 && !input.empty(); --left) Change(input);
    return input;
  }

  // A number less than `bound`.
  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }

 private:
  void Change(std::string& input) {
    const std::size_t at = Below(input.size());
    const std::size_t count = std::min(input.size() - at, 1 + Below(16));
    switch (Below(7)) {
      case 0:
        input[at] = static_cast<char>(input[at] ^ 1 << Below(8));
        break;
      case 1:
        input[at] = static_cast<char>(Below(256));
        break;
      case 2:
        input.erase(at, count);
        break;
      case 3:
        input.insert(at, input.substr(at, count));
        break;
      case 4:
        input.insert(at, std::string(count, static_cast<char>(Below(256))));
        break;
      case 5:
        input.resize(at);
        break;
      default:
        PutExtreme(input, at);
    }
  }

  // Where a length or a number may be.
  void PutExtreme(std::string& input, std::size_t at) {
    constexpr std::array<std::uint64_t, 8> kExtremes = {
        0, 1, 0x7F, 0xFFFF, 0x7FFF'FFFF, 0xFFFF'FFFF, 0x7FFF'FFFF'FFFF'FFFF, ~std::uint64_t{0}};
    const std::uint64_t extreme = kExtremes[Below(kExtremes.size())];
    const std::size_t bytes = std::min(input.size() - at, std::size_t{1} << Below(4));
    std::memcpy(input.data() + at, &extreme, bytes);
  }

  std::mt19937_64 random_;
  std::vector<std::string> valid_;
};

}  // namespace mangle
