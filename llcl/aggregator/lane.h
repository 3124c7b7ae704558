// The records on their way to one neighbor: two buffers of this rank, of which each has a twin in
// the neighbor's memory.
//
//   free -> open: records are added -> away: written to its twin, until the neighbor has handled
//   its records and returns it -> free
//
// Records that are added while no buffer has room are refused, or spilled: kept until there is
// room.
//
// Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "llcl/language.h"

namespace llcl {

// A value: a view of its buffers. An entry is a record, or a record with its destination; all
// entries of a lane have the same size.
class Lane {
 public:
  static constexpr std::size_t kBuffers = 2;
  // A buffer that goes away.
  struct Filled {
    std::size_t buffer = 0;
    std::uint32_t entries = 0;
    std::uint32_t epoch = 0;  // of the sender, who fills it in
  };

  Lane() = default;
  // `memory`: kBuffers buffers of `buffer_bytes`, which outlive it.
  Lane(std::byte* memory, std::size_t buffer_bytes, std::size_t entry_bytes)
      : memory_(memory),
        buffer_bytes_(buffer_bytes),
        entry_bytes_(entry_bytes),
        capacity_(buffer_bytes / entry_bytes) {
    Open();
  }

  // Adds an entry, unless the buffer would be full then.
  template <typename Entry>
  bool TryPutInside(const Entry& entry) {
    if (static_cast<std::size_t>(end_ - at_) <= sizeof entry) return false;
    std::memcpy(at_, &entry, sizeof entry);
    at_ += sizeof entry;
    return true;
  }
  // Adds as many of the entries as the open buffer has room for: so many bytes.
  std::size_t Put(std::span<const std::byte> entries) {
    const std::size_t bytes = std::min(entries.size(), static_cast<std::size_t>(end_ - at_));
    if (bytes > 0) std::memcpy(at_, entries.data(), bytes);
    at_ += bytes;
    return bytes;
  }
  void Spill(std::span<const std::byte> entries) {
    spilled_.insert(spilled_.end(), entries.begin(), entries.end());
  }
  std::size_t spilled_bytes() const { return spilled_.size() - unspilled_; }

  // The open buffer, if it is full; with entries in it. Another is open then, if one is free.
  std::optional<Filled> TakeFull() {
    if (!open_ || at_ != end_) return std::nullopt;
    return Take();
  }
  std::optional<Filled> TakeAny() {
    if (entries_here() == 0) return std::nullopt;
    return Take();
  }

  // False: the buffer is not away.
  [[nodiscard]] bool Return(std::size_t buffer) {
    if (buffer >= kBuffers || !is_away_[buffer]) return false;
    is_away_[buffer] = false;
    if (!open_ && !is_closed_) Open();
    return true;
  }
  // Moves spilled entries to the open buffer. A buffer with the last of them goes away, too: nobody
  // may add others behind them.
  std::optional<Filled> Unspill() {
    if (spilled_bytes() == 0) return std::nullopt;
    unspilled_ += Put(std::span(spilled_).subspan(unspilled_));
    // Some copies of the rest for each byte of it at most.
    if (unspilled_ > spilled_.size() / 2) {
      spilled_.erase(spilled_.begin(), spilled_.begin() + static_cast<std::ptrdiff_t>(unspilled_));
      unspilled_ = 0;
    }
    return TakeAny();
  }

  // Entries ever added, since the last Restart.
  std::uint64_t added() const { return gone_ + entries_here() + spilled_bytes() / entry_bytes_; }
  // Precondition: no entry is here.
  void Restart() { gone_ = 0; }
  // No entry can be added any more; those here are dropped.
  void Close() {
    is_closed_ = true;
    open_.reset();
    at_ = end_ = nullptr;
    spilled_.clear();
    unspilled_ = 0;
  }

 private:
  std::byte* BufferAt(std::size_t buffer) const { return memory_ + buffer * buffer_bytes_; }
  std::uint64_t entries_here() const {
    return open_ ? static_cast<std::size_t>(at_ - BufferAt(*open_)) / entry_bytes_ : 0;
  }
  void Open() {
    open_.reset();
    at_ = end_ = nullptr;
    for (std::size_t buffer = 0; buffer < kBuffers; ++buffer) {
      if (is_away_[buffer]) continue;
      open_ = buffer;
      at_ = BufferAt(buffer);
      end_ = at_ + capacity_ * entry_bytes_;
      return;
    }
  }
  Filled Take() {
    const Filled filled = {*open_, static_cast<std::uint32_t>(entries_here())};
    gone_ += filled.entries;
    is_away_[filled.buffer] = true;
    Open();
    return filled;
  }

  std::byte *at_ = nullptr, *end_ = nullptr;  // of the room in the open buffer
  std::byte* memory_ = nullptr;
  std::size_t buffer_bytes_ = 0, entry_bytes_ = 1, capacity_ = 0;
  std::optional<std::size_t> open_;
  std::array<bool, kBuffers> is_away_ = {};
  bool is_closed_ = false;
  std::uint64_t gone_ = 0;  // entries
  std::vector<std::byte> spilled_;
  std::size_t unspilled_ = 0;  // bytes at its beginning that are not spilled any more
};

}  // namespace llcl
