// The windows of streams: bytes of parts that a rank sends ahead, before their receiver has begun
// the rounds. The receiver may have to keep these bytes.
//
//   sender                          receiver
//   TryAdd; kAhead: bytes      -->
//                                   puts the bytes in their place, or keeps them until their round
//                                   Free, once it does not keep them
//   Remove                     <--  kTold: the bytes of many such frames
//
// So the sender has counted each byte before the receiver tells it, in whichever order frames and
// messages come.
//
// Threads: any, all members, at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// A resource: of all streams of a rank.
class StreamWindows {
 public:
  static constexpr std::uint64_t kMost = 1 << 20;    // to a rank
  static constexpr std::uint64_t kTold = 256 << 10;  // a receiver tells so many at once, at least

  // This rank sends so many bytes ahead. False: too many are on their way to the rank, or kept
  // there.
  [[nodiscard]] bool TryAdd(Rank to, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& sent = bytes_[to].sent;
    if (sent + bytes > kMost) return false;
    sent += bytes;
    return true;
  }
  // The rank does not keep so many bytes any more, or they were not sent. More than were added: the
  // rank talks nonsense.
  void Remove(Rank to, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& sent = bytes_[to].sent;
    sent -= std::min(sent, bytes);
  }

  // This rank does not keep so many bytes of the rank any more.
  void Free(Rank from, std::uint64_t bytes) {
    const topo::Lock lock(mutex_);
    std::uint64_t& untold = bytes_[from].untold;
    untold += bytes;
    if (untold >= kTold) is_due_.store(true, std::memory_order_release);
  }
  // The ranks that get kTold now, each with its bytes.
  std::vector<std::pair<Rank, std::uint64_t>> TakeDue() {
    std::vector<std::pair<Rank, std::uint64_t>> due;
    if (!is_due_.load(std::memory_order_acquire)) return due;
    const topo::Lock lock(mutex_);
    is_due_.store(false, std::memory_order_relaxed);
    for (auto& [rank, bytes] : bytes_) {
      if (bytes.untold >= kTold) due.emplace_back(rank, std::exchange(bytes.untold, 0));
    }
    return due;
  }

 private:
  struct OfRank {
    std::uint64_t sent = 0;    // ahead, and the rank has not told them
    std::uint64_t untold = 0;  // of the rank
  };
  std::atomic<bool> is_due_{false};  // a rank gets kTold next
  topo::Mutex mutex_;
  std::map<Rank, OfRank> bytes_ ABSL_GUARDED_BY(mutex_);
};

// Bytes of a rank's frame that are kept here: they are free when this ends. A value that moves.
class KeptBytes {
 public:
  KeptBytes() = default;
  KeptBytes(StreamWindows& all, Rank from, std::uint64_t bytes)
      : all_(&all), from_(from), bytes_(bytes) {}
  KeptBytes(KeptBytes&& other) noexcept
      : all_(std::exchange(other.all_, nullptr)), from_(other.from_), bytes_(other.bytes_) {}
  KeptBytes& operator=(KeptBytes&& other) noexcept {
    std::swap(all_, other.all_);
    std::swap(from_, other.from_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~KeptBytes() {
    if (all_ != nullptr) all_->Free(from_, bytes_);
  }

 private:
  StreamWindows* all_ = nullptr;
  Rank from_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace llcl
