// Messages as devices carry them: bytes from one rank to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "llcl/region.h"

namespace llcl {

// The largest message: every device carries it.
inline constexpr std::size_t kMostMessageBytes = 4096;

// Messages that have come in, copied from the device so that it may go on: filled
// under the executor's lock, emptied outside of it. A value, that is not initialized.
class Inbox {
 public:
  Inbox() {}
  // Is there room for another, whatever its size?
  bool has_room() const { return used_ + sizeof(Header) + kMostMessageBytes <= kBytes; }
  bool empty() const { return used_ == 0; }
  std::size_t bytes() const { return used_; }
  void Clear() { used_ = 0; }

  // A place for a message's bytes. Precondition: has_room(), and `bytes` is at most
  // kMostMessageBytes.
  std::span<std::byte> Add(Rank from, std::size_t bytes) {
    const Header header = {from, static_cast<std::uint32_t>(bytes)};
    std::memcpy(bytes_ + used_, &header, sizeof header);
    const std::span<std::byte> place =
        std::span(bytes_, kBytes).subspan(used_ + sizeof header, bytes);
    used_ += sizeof header + (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return place;
  }

  // f(from, bytes) for each, in the order of Add.
  template <typename F>
  void ForEach(F f) const {
    for (std::size_t at = 0; at < used_;) {
      Header header;
      std::memcpy(&header, bytes_ + at, sizeof header);
      f(header.from, std::span(bytes_, kBytes).subspan(at + sizeof header, header.bytes));
      at += sizeof header + (header.bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
  }

 private:
  static constexpr std::size_t kAlignment = 8;
  struct Header {
    Rank from{};
    std::uint32_t bytes = 0;
  };

  std::size_t used_ = 0;
  static constexpr std::size_t kBytes = 2 * (sizeof(Header) + kMostMessageBytes);
  alignas(kAlignment) std::byte bytes_[kBytes];
};

}  // namespace llcl
