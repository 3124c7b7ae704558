// Registered words of this rank in which blocking atomics get the value before.
//
// Threads: any, at the same time.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace llcl::c {

// A resource. The memory outlives its registration.
class FetchWords {
 public:
  static constexpr std::size_t kWords = 64;

  std::span<std::byte> memory() { return std::as_writable_bytes(std::span(words_)); }
  const std::uint64_t& operator[](std::size_t word) const { return words_[word]; }

  // A word that no other thread has. Nothing: all are taken now.
  std::optional<std::size_t> TryTake() {
    std::uint64_t free = free_.load(std::memory_order_relaxed);
    while (free != 0) {
      if (free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire)) {
        return static_cast<std::size_t>(std::countr_zero(free));
      }
    }
    return std::nullopt;
  }
  void GiveBack(std::size_t word) {
    free_.fetch_or(std::uint64_t{1} << word, std::memory_order_release);
  }
  // The network may still write to the word: nobody gets it again.
  void Lose() { lost_.fetch_add(1, std::memory_order_relaxed); }
  bool AreAllLost() const { return lost_.load(std::memory_order_relaxed) == kWords; }

 private:
  std::array<std::uint64_t, kWords> words_ = {};
  std::atomic<std::uint64_t> free_{~std::uint64_t{0}};  // a bit for each word
  std::atomic<std::size_t> lost_{0};
};

}  // namespace llcl::c
