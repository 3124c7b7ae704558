// Sums of counts in words of 64 bits, the lowest first. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/problem/count.h"

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

// The number of the highest set bit, counted from 1; 0 for zero.
inline int BitsOf(std::span<const std::uint64_t> count) {
  std::size_t words = count.size();
  while (words > 0 && count[words - 1] == 0) --words;
  return words == 0 ? 0 : static_cast<int>(64 * words) - std::countl_zero(count[words - 1]);
}

// product = count * 2^(64 * words + bits), modulo the size of `product`.
inline void ShiftWords(std::span<std::uint64_t> product, std::span<const std::uint64_t> count,
                       std::size_t words, int bits) {
  const std::size_t first = std::min(words, product.size());
  std::fill_n(product.begin(), first, 0);
  const std::size_t copied = std::min(count.size(), product.size() - first);
  std::uint64_t* const to = product.data() + first;
  if (bits == 0) {
    std::copy_n(count.begin(), copied, to);
  } else {
    for (std::size_t i = 0; i < copied; ++i) {
      to[i] = count[i] << bits | (i == 0 ? 0 : count[i - 1] >> (64 - bits));
    }
  }
  if (first + copied == product.size()) return;
  std::fill(product.begin() + static_cast<std::ptrdiff_t>(first + copied), product.end(), 0);
  if (bits != 0 && !count.empty()) to[copied] = count.back() >> (64 - bits);
}

// product = count * weight, modulo the size of `product`. Precondition: `product` is not `count`.
inline void MultiplyWords(std::span<std::uint64_t> product, std::span<const std::uint64_t> count,
                          std::span<const std::uint64_t> weight) {
  const bool has_low = std::any_of(weight.begin(), weight.end() - (weight.empty() ? 0 : 1),
                                   [](std::uint64_t word) { return word != 0; });
  if (!has_low && !weight.empty() && std::has_single_bit(weight.back())) {
    return ShiftWords(product, count, weight.size() - 1, std::countr_zero(weight.back()));
  }
  for (std::uint64_t& word : product) word = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
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
