// A thread's hint for its scheduling: a value that thieves can read.
//
// A hint is any trivially copyable value. Up to eight bytes ride in the run
// queue itself, beside the thread, with two bits about their size, so that peeking
// at a victim touches nothing of the thread. Larger ones lie beside the thread's descriptor; a
// version shows a reader that it read halves of two. Descriptors and these blocks live as long as
// the pool, so a reader that comes too late reads an old hint and never faults. (The paper keeps
// them at the end of the stack. Stacks are used again for ordinary variables, and a late reader
// would race with those.)
//
// Threads: written by the thread itself, or before it is scheduled; read by any.
// Order: none is promised to a peeking thief: it gets a copy of a hint that some
//   thread had. Progress: wait-free; a read that meets a write fails.
//
// Source: [NNT13] sections 3.1 and 3.4.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "lwt/machine/atomic.h"

namespace lwt {

template <typename T>
concept Hint = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

// How large a hint is, in the two bits that ride beside it in the run queue: 0 for
// none, 1 for up to four bytes, 2 for up to eight, 3 for those that do not ride.
constexpr std::uintptr_t HintClassOf(std::size_t bytes) {
  return bytes == 0 ? 0 : bytes <= 4 ? 1 : bytes <= 8 ? 2 : 3;
}

// A resource inside of a descriptor. Words, so that readers and the writer meet
// in atomics only. tests/hint_model_test.cc runs this code under every interleaving of up to 6
// preemptions (where a hint needs a block, of up to 4).
template <template <typename> class AtomicT>
class BasicHintStore {
 public:
  static constexpr std::size_t kInlineBytes = 16;

  BasicHintStore() = default;
  ~BasicHintStore() { delete block_.Load(std::memory_order_relaxed); }
  BasicHintStore(const BasicHintStore&) = delete;
  BasicHintStore& operator=(const BasicHintStore&) = delete;

  // False where there is no memory for a hint of that size; the old one stays.
  [[nodiscard]] bool Write(std::span<const std::byte> hint) {
    if (hint.size() > std::numeric_limits<std::int32_t>::max()) return false;  // Nor would peeks.
    const std::size_t words = (hint.size() + sizeof(Word) - 1) / sizeof(Word);
    std::unique_ptr<Block> larger;
    if (hint.size() > kInlineBytes && !HasRoomFor(words)) {
      larger = MakeBlock(words);
      if (larger == nullptr) return false;
    }
    const std::uint32_t version = version_.Load(std::memory_order_relaxed);
    // A thread that acquires one of the stores that follow sees this one too.
    version_.Store(version + 1, std::memory_order_relaxed);
    // Only now: a reader of the previous hint must not find the new block, which is empty.
    if (larger != nullptr) {
      larger->smaller.reset(block_.Load(std::memory_order_relaxed));
      block_.Store(larger.release(), std::memory_order_release);
    }
    // Release: a thread that reads this size finds a block that is large enough.
    bytes_.Store(static_cast<std::uint32_t>(hint.size()), std::memory_order_release);
    Word* const to = WordsOf(hint.size());
    if (hint.empty()) inline_[0].Store(0, std::memory_order_release);
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, hint.data() + i * sizeof word,
                  std::min(sizeof word, hint.size() - i * sizeof word));
      to[i].Store(word, std::memory_order_release);
      if (i == 0) inline_[0].Store(word, std::memory_order_release);
    }
    version_.Store(version + 2, std::memory_order_release);
    return true;
  }

  // Copies the first hint.size() bytes of it, or all; `bytes` is how long it is.
  // False while it is being written.
  bool TryRead(std::span<std::byte> hint, std::size_t& bytes) const {
    const std::uint32_t version = version_.Load(std::memory_order_acquire);
    if (version % 2 != 0) return false;
    bytes = bytes_.Load(std::memory_order_acquire);
    const Word* const from = WordsOf(bytes);
    for (std::size_t at = 0; at < std::min(hint.size(), bytes); at += sizeof(Word)) {
      const std::uint64_t word = from[at / sizeof(Word)].Load(std::memory_order_acquire);
      std::memcpy(hint.data() + at, &word, std::min(sizeof word, hint.size() - at));
    }
    return version_.Load(std::memory_order_relaxed) == version;
  }

  std::size_t bytes() const { return bytes_.Load(std::memory_order_relaxed); }

  // The hint itself, for the thread's owner.
  void* data() { return WordsOf(bytes()); }

  // The first eight bytes, 0 if there is no hint: what rides in the run queue.
  std::uint64_t word() const { return inline_[0].Load(std::memory_order_relaxed); }

 private:
  using Word = AtomicT<std::uint64_t>;

  // A block that became too small is kept: a reader may be at it.
  struct Block {
    std::size_t words = 0;
    std::unique_ptr<Word[]> word;
    std::unique_ptr<Block> smaller;
  };

  // Reads the size first and then the block: a block is at least as large as any
  // size written before it was replaced.
  Word* WordsOf(std::size_t bytes) const {
    if (bytes <= kInlineBytes) return inline_;
    return block_.Load(std::memory_order_acquire)->word.get();
  }

  bool HasRoomFor(std::size_t words) const {
    const Block* const block = block_.Load(std::memory_order_relaxed);
    return block != nullptr && block->words >= words;
  }

  // Null where memory ends. At least twice as large as the one before.
  std::unique_ptr<Block> MakeBlock(std::size_t words) const {
    const Block* const old = block_.Load(std::memory_order_relaxed);
    std::unique_ptr<Block> block(new (std::nothrow) Block);
    if (block == nullptr) return nullptr;
    block->words = std::max(words, old == nullptr ? 0 : old->words * 2);
    block->word.reset(new (std::nothrow) Word[block->words]());
    return block->word == nullptr ? nullptr : std::move(block);
  }

  AtomicT<std::uint32_t> version_{0};
  AtomicT<std::uint32_t> bytes_{0};
  mutable Word inline_[kInlineBytes / sizeof(Word)];
  AtomicT<Block*> block_{nullptr};
};

using HintStore = BasicHintStore<Atomic>;

}  // namespace lwt
