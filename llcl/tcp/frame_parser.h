// The frames in the bytes that come from a rank.
//
// A payload follows its header in pieces of any size. Payloads of messages and of written words
// come in one piece with the header.
//
// Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "llcl/tcp/frame.h"

namespace llcl {

// A value.
class TcpFrameParser {
 public:
  enum class Kind : std::uint8_t {
    kMore,      // not enough bytes have come
    kNonsense,  // no rank of this library sends such bytes
    kFrame,     // `bytes`: the payload, if it comes with the header
    kPayload,   // `bytes`: a piece of the last frame's payload
  };
  struct Step {
    Kind kind = Kind::kMore;
    std::size_t used = 0;  // of the bytes that have come
    TcpHeader header;
    const std::byte* behind_header = nullptr;
    std::span<const std::byte> bytes;

    // Of requests.
    TcpTarget target() const { return ValueAt<TcpTarget>(0); }
    // Of kAtomic.
    TcpOperands operands() const { return ValueAt<TcpOperands>(sizeof(TcpTarget)); }
    // Of kStream.
    TcpStreamHeader stream() const { return ValueAt<TcpStreamHeader>(0); }

   private:
    template <typename T>
    T ValueAt(std::size_t offset) const {
      T value;
      std::memcpy(&value, behind_header + offset, sizeof value);
      return value;
    }
  };

  // Missing bytes of the payload.
  std::uint64_t payload() const { return payload_; }
  void Clear() { payload_ = 0; }

  // The first step in the bytes. Without Use, a later call returns the same step.
  [[gnu::always_inline]] Step Next(std::span<const std::byte> bytes) const {
    // One variable for all returns: the compiler would copy another one, and each copy waits until
    // the fields that were just written have reached the cache.
    Step step;
    if (payload_ > 0) {
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(payload_, bytes.size()));
      if (some == 0) return step;
      step.kind = Kind::kPayload;
      step.bytes = bytes.first(some);
      step.used = some;
      return step;
    }
    if (bytes.size() < sizeof step.header) return step;
    std::memcpy(&step.header, bytes.data(), sizeof step.header);
    if (!IsSane(step.header)) {
      step.kind = Kind::kNonsense;
      return step;
    }
    const std::size_t header_bytes = TcpHeaderBytes(step.header.frame);
    const auto whole = IsWhole(step.header) ? static_cast<std::size_t>(step.header.bytes) : 0;
    if (bytes.size() < header_bytes + whole) return step;
    step.kind = Kind::kFrame;
    step.used = header_bytes + whole;
    step.behind_header = bytes.data() + sizeof step.header;
    step.bytes = bytes.subspan(header_bytes, whole);
    return step;
  }

  // True: a payload in pieces is complete.
  [[nodiscard]] bool Use(const Step& step) {
    if (step.kind == Kind::kPayload) return UsePayload(step.used);
    if (IsWhole(step.header)) return false;
    payload_ = TcpBytesBehind(step.header);
    return payload_ == 0 && step.header.frame == TcpFrame::kData;
  }
  // Counts bytes of the payload that the caller has received itself. True: the payload is complete.
  [[nodiscard]] bool UsePayload(std::uint64_t bytes) {
    payload_ -= bytes;
    return payload_ == 0;
  }

 private:
  static bool IsWhole(const TcpHeader& header) {
    return header.frame == TcpFrame::kMessage ||
           (header.frame == TcpFrame::kWrite && header.bytes <= kMostTcpWord);
  }

  std::uint64_t payload_ = 0;
};

}  // namespace llcl
