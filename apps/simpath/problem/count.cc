#include "apps/simpath/problem/count.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace simpath {
namespace {

using Wide = unsigned __int128;

}  // namespace

Count::Count(std::span<const std::uint64_t> words) : words_(words.begin(), words.end()) {
  DropZeros();
}

void Count::DropZeros() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

Count& Count::operator+=(const Count& other) {
  words_.resize(std::max(words_.size(), other.words_.size()) + 1);
  Wide carry = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    carry += Wide{words_[i]} + (i < other.words_.size() ? other.words_[i] : 0);
    words_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  DropZeros();
  return *this;
}

Count operator*(const Count& a, const Count& b) {
  Count product;
  product.words_.resize(a.words_.size() + b.words_.size());
  for (std::size_t i = 0; i < a.words_.size(); ++i) {
    Wide carry = 0;
    for (std::size_t j = 0; j < b.words_.size(); ++j) {
      carry += Wide{a.words_[i]} * b.words_[j] + product.words_[i + j];
      product.words_[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    product.words_[i + b.words_.size()] = static_cast<std::uint64_t>(carry);
  }
  product.DropZeros();
  return product;
}

bool operator<(const Count& a, const Count& b) {
  if (a.words_.size() != b.words_.size()) return a.words_.size() < b.words_.size();
  return std::lexicographical_compare(a.words_.rbegin(), a.words_.rend(), b.words_.rbegin(),
                                      b.words_.rend());
}

int Count::bits() const {
  if (words_.empty()) return 0;
  return 64 * static_cast<int>(words_.size()) - std::countl_zero(words_.back());
}

std::string Count::ToString() const {
  constexpr std::uint64_t kBillions = 1'000'000'000;
  std::vector<std::uint64_t> rest = words_;
  std::string reversed;
  while (!rest.empty()) {
    Wide remainder = 0;
    for (std::size_t i = rest.size(); i-- > 0;) {
      const Wide value = (remainder << 64) | rest[i];
      rest[i] = static_cast<std::uint64_t>(value / kBillions);
      remainder = value % kBillions;
    }
    while (!rest.empty() && rest.back() == 0) rest.pop_back();
    auto digits = static_cast<std::uint64_t>(remainder);
    for (int i = 0; i < 9 && (!rest.empty() || digits != 0); ++i, digits /= 10) {
      reversed.push_back(static_cast<char>('0' + digits % 10));
    }
  }
  if (reversed.empty()) return "0";
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace simpath
