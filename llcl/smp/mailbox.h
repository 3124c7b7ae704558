// The mailbox of a rank, in memory that all ranks of a machine map: a lane for each
// rank that sends, and a word that shows whether the receiver sleeps.
//
// A lane has one writer and one reader, so that a sender that is killed in the middle
// of a message holds up no other sender.
//
// Threads: Write by one thread of the sender at a time; Read, StartSleep and EndSleep
//   by one of the receiver.
// Order: what came before Write happens before what follows Read of that message.
// Progress: wait-free.
//
// tests/mailbox_model_test.cc runs this code under every interleaving of up to 3 preemptions (its
// sleep) and of up to 4 (its messages).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace llcl {

// A value in shared memory, which begins as zeros. `kBytes`: a power of two, of 8 at
// least.
template <template <typename> class AtomicT, std::size_t kBytes>
class BasicLane {
 public:
  // False: no room.
  [[nodiscard]] bool Write(std::span<const std::byte> message) {
    const std::uint64_t tail = tail_.Load(std::memory_order_relaxed);
    const std::uint64_t head = head_.Load(std::memory_order_acquire);
    if (Footprint(message.size()) > kBytes - (tail - head)) return false;
    const std::uint64_t bytes = message.size();
    std::memcpy(bytes_ + tail % kBytes, &bytes, sizeof bytes);
    const std::size_t at = (tail + sizeof bytes) % kBytes;
    const std::size_t first = std::min(message.size(), kBytes - at);
    if (first > 0) std::memcpy(bytes_ + at, message.data(), first);
    if (first < message.size()) {
      std::memcpy(bytes_, message.data() + first, message.size() - first);
    }
    // Sequentially consistent, as the receiver's StartSleep.
    tail_.Exchange(tail + Footprint(message.size()), std::memory_order_seq_cst);
    return true;
  }

  bool empty() const {
    return tail_.Load(std::memory_order_seq_cst) == head_.Load(std::memory_order_relaxed);
  }

  enum class Found { kNothing, kMessage, kNonsense };
  // Copies the oldest message to the place that `place(bytes)` returns for it. kNonsense:
  // the sender wrote something else than a message of at most `most` bytes.
  template <typename Place>
  [[nodiscard]] Found Read(std::size_t most, Place place) {
    const std::uint64_t head = head_.Load(std::memory_order_relaxed);
    const std::uint64_t tail = tail_.Load(std::memory_order_acquire);
    if (head == tail) return Found::kNothing;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, bytes_ + head % kBytes, sizeof bytes);
    if (bytes > most || Footprint(bytes) > tail - head || tail - head > kBytes) {
      return Found::kNonsense;
    }
    const std::span<std::byte> to = place(static_cast<std::size_t>(bytes));
    const std::size_t at = (head + sizeof bytes) % kBytes;
    const std::size_t first = std::min(to.size(), kBytes - at);
    if (first > 0) std::memcpy(to.data(), bytes_ + at, first);
    if (first < to.size()) std::memcpy(to.data() + first, bytes_, to.size() - first);
    head_.Store(head + Footprint(bytes), std::memory_order_release);
    return Found::kMessage;
  }

 private:
  // Lengths lie at multiples of their size, so that none is split.
  static constexpr std::uint64_t Footprint(std::uint64_t bytes) {
    return sizeof bytes + (bytes + 7) / 8 * 8;
  }

  alignas(64) AtomicT<std::uint64_t> tail_;  // bytes ever written
  alignas(64) AtomicT<std::uint64_t> head_;  // bytes ever read
  alignas(64) std::byte bytes_[kBytes];
};

// Whether the receiver sleeps. A value in shared memory.
template <template <typename> class AtomicT>
class BasicSleepWord {
 public:
  // By the receiver; it then looks at its lanes once more before it sleeps.
  void StartSleep() { sleeps_.Exchange(1, std::memory_order_seq_cst); }
  void EndSleep() {
    // Senders read the word: it is written only where it changes.
    if (sleeps_.Load(std::memory_order_relaxed) != 0) sleeps_.Store(0, std::memory_order_relaxed);
  }

  // By a sender, after Write. True, for one sender: wake the receiver.
  [[nodiscard]] bool MustWake() {
    return sleeps_.Load(std::memory_order_seq_cst) != 0 &&
           sleeps_.Exchange(0, std::memory_order_seq_cst) != 0;
  }

 private:
  alignas(64) AtomicT<std::uint32_t> sleeps_;
};

}  // namespace llcl
