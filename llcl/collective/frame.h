// Frames: what ranks send each other for collective operations, by channels, by streams or as
// messages. A header comes first, its payload behind.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "llcl/collective/disagreement.h"
#include "llcl/collective/farewell.h"
#include "llcl/region.h"

namespace llcl {

enum class CollectiveFrame : std::uint32_t {
  kData,          // bytes of a part
  kAhead,         // the same, sent before the receiver has said kReady
  kMemory,        // of a part: where the receiver reads it, a RemoteAddress
  kTaken,         // a part that was announced has been read
  kReady,         // the receiver of a part has begun the round: all of the part may come
  kAsk,           // the sender of a part waits for kReady
  kTold,          // of no operation: so many bytes of kAhead are not kept by the receiver any more
  kDisagreement,  // the operation fails on all members: a Disagreement
};

constexpr bool HasData(CollectiveFrame kind) {
  return kind == CollectiveFrame::kData || kind == CollectiveFrame::kAhead;
}

// A value, of the same bytes on all ranks: nothing in it is left out.
struct FrameHeader {
  std::uint64_t team = 0;
  std::uint32_t number = 0;
  std::uint32_t round = 0;
  CollectiveFrame kind = CollectiveFrame::kData;
  std::uint32_t unit = 0;  // of data: bytes of an element that may be combined; 0: unknown
  std::uint64_t at = 0;    // of the payload, in the part
  std::uint64_t part = 0;  // bytes of the whole part

  CollectiveId id() const { return {team, number}; }
};
static_assert(sizeof(FrameHeader) == 40);

inline FrameHeader HeaderOf(const CollectiveId& id, std::uint32_t round, CollectiveFrame kind,
                            std::size_t part_bytes) {
  return {.team = id.team, .number = id.number, .round = round, .kind = kind, .part = part_bytes};
}

// The value at the beginning of `bytes`. Precondition: it has as many.
template <typename T>
T ValueIn(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}
template <typename T>
std::span<const std::byte> BytesOfValue(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace llcl
