// Sums of counts in words of 64 bits, the lowest first. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/count.h"

namespace simpath {

// sum += count. Precondition: sum has room for the result, so words of the count beyond its own are
// zeros.
inline void AddWords(std::span<std::uint64_t> sum, std::span<const std::uint64_t> count) {
  bool carry = false;
  std::size_t i = 0;
  for (const std::uint64_t word : count.first(std::min(count.size(), sum.size()))) {
    std::uint64_t& to = sum[i++];
    const bool carried = __builtin_add_overflow(to, std::uint64_t{carry}, &to);
    carry = __builtin_add_overflow(to, word, &to) || carried;
  }
  for (; carry && i < sum.size(); ++i) carry = ++sum[i] == 0;
}

// product = count * weight; `product` has room for it, and is not `count`.
inline void MultiplyWords(std::span<std::uint64_t> product, std::span<const std::uint64_t> count,
                          std::span<const std::uint64_t> weight) {
  for (std::uint64_t& word : product) word = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] == 0) continue;  // Weights may be powers of two.
    unsigned __int128 carry = 0;
    for (std::size_t j = 0; i + j < product.size(); ++j) {
      carry += product[i + j];
      if (j < count.size()) carry += static_cast<unsigned __int128>(weight[i]) * count[j];
      product[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
}

// A value: a sum of many counts of no more than so many words.
class Sum {
 public:
  explicit Sum(std::size_t count_words = 0) : words_(count_words + 1, 0) {}

  void Add(std::span<const std::uint64_t> count) { AddWords(words_, count); }
  Count count() const { return Count(std::span<const std::uint64_t>(words_)); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace simpath
