// The distinct mates after a step, each with the number of ways to come to it: a hash table of keys
// and counts side by side. Pure.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/frontier/hash.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/sum.h"

namespace simpath {

// A value. Keys of `words` words; counts of as many as were asked for, which the caller has found
// to be enough. Its table grows up to `most_bytes`, of which a growing one needs half for what it
// was before.
template <int words>
class Level {
 public:
  Level(std::size_t count_words, std::size_t expected, std::uint64_t most_bytes)
      : count_words_(count_words), stride_(words + count_words), most_bytes_(most_bytes) {
    std::size_t capacity = std::bit_ceil(expected * 2 + 16);
    while (capacity > 16 && BytesOf(capacity) > most_bytes) capacity /= 2;
    Allocate(capacity);
  }

  std::size_t size() const { return size_; }
  std::size_t count_words() const { return count_words_; }
  std::size_t bytes() const { return entries_.size() * sizeof(entries_[0]); }

  void Prefetch(std::uint64_t hash) const {
    __builtin_prefetch(entries_.data() + (hash >> shift_) * stride_, 1);
  }

  // Adds to the count of these mates, whose count has no more words than this level's. False where
  // there is no room for them.
  [[nodiscard]] bool Add(const Mates<words>& mates, std::uint64_t hash,
                         std::span<const std::uint64_t> count) {
    if (size_ * 3 >= capacity() * 2) {
      if (bytes() + BytesOf(capacity() * 2) > most_bytes_) return false;
      Grow();
    }
    std::uint64_t* entry = Find(mates, hash);
    if (entry[0] == kEmpty) {
      for (std::size_t i = 0; i < words; ++i) entry[i] = mates.word[i];
      ++size_;
    }
    AddWords({entry + words, count_words_}, count);
    return true;
  }

  // body(mates, count)
  template <typename Body>
  void ForEach(Body body) const {
    for (std::size_t at = 0; at < entries_.size(); at += stride_) {
      if (entries_[at] == kEmpty) continue;
      Mates<words> mates;
      for (std::size_t i = 0; i < words; ++i) mates.word[i] = entries_[at + i];
      body(mates, std::span(entries_.data() + at + words, count_words_));
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no mates have such a word

  std::uint64_t BytesOf(std::size_t capacity) const {
    return capacity * stride_ * sizeof(std::uint64_t);
  }
  std::size_t capacity() const { return std::size_t{1} << (64 - shift_); }

  void Allocate(std::size_t capacity) {
    shift_ = 64 - std::countr_zero(capacity);
    entries_.assign(capacity * stride_, 0);
    for (std::size_t i = 0; i < capacity; ++i) entries_[i * stride_] = kEmpty;
  }

  std::uint64_t* Find(const Mates<words>& mates, std::uint64_t hash) {
    std::size_t i = hash >> shift_;
    while (true) {
      std::uint64_t* entry = entries_.data() + i * stride_;
      bool same = entry[0] == mates.word[0];
      for (std::size_t word = 1; word < words; ++word) same &= entry[word] == mates.word[word];
      if (same || entry[0] == kEmpty) return entry;
      i = (i + 1) & (capacity() - 1);
    }
  }

  void Grow() {
    std::vector<std::uint64_t> old;
    old.swap(entries_);
    Allocate(capacity() * 2);
    for (std::size_t at = 0; at < old.size(); at += stride_) {
      if (old[at] == kEmpty) continue;
      Mates<words> mates;
      for (std::size_t i = 0; i < words; ++i) mates.word[i] = old[at + i];
      std::uint64_t* entry = Find(mates, HashOf(mates));
      for (std::size_t i = 0; i < stride_; ++i) entry[i] = old[at + i];
    }
  }

  std::size_t count_words_;
  std::size_t stride_;
  std::uint64_t most_bytes_;
  std::size_t size_ = 0;
  int shift_ = 60;
  std::vector<std::uint64_t> entries_;
};

}  // namespace simpath
