// What two ranks send each other by a connection: requests on the memory of the rank at its other
// end, their answers, and messages.
//
//   Read            ->   Data, in one piece or several, in order; or Ended
//   Write + bytes   ->   Ended
//   Atomic          ->   Data if it fetches, else or if it is refused Ended
//   Message + bytes
//   Stream + bytes (conduit/streams.h)
//
// The receiver of a request checks its region, key and range; an Ended that says kRefused is the
// answer to a wrong one, and the connection goes on. A header that no rank of ours sends ends it.
//
// Pure. All numbers are little-endian.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "llcl/atomic_types.h"
#include "llcl/executor/message.h"
#include "llcl/executor/tag.h"
#include "llcl/outcome.h"
#include "llcl/region.h"

namespace llcl {

enum class TcpFrame : std::uint8_t { kRead = 1, kWrite, kAtomic, kMessage, kData, kEnded, kStream };

// A value, as it is sent. What follows it depends on the frame.
struct TcpHeader {
  TcpFrame frame = TcpFrame::kMessage;
  AtomicType type = AtomicType::kU64;
  AtomicOp op = AtomicOp::kAdd;
  std::uint8_t detail = 0;  // of kAtomic: it fetches; of kEnded: its Outcome
  Tag tag = 0;              // the requesting rank's; of kStream: bytes of a unit
  // Of kWrite, kMessage, kData and kStream: that follow; of the other requests: that are asked for.
  std::uint64_t bytes = 0;
};
// Of kRead, kWrite and kAtomic.
struct TcpTarget {
  RegionId id;
  std::uint64_t key = 0;  // KeyOfDescription
  std::uint64_t address = 0;
};
// Of kAtomic.
struct TcpOperands {
  std::uint64_t operand = 0, expected = 0;
};
// Of kStream: the taker's. conduit/streams.h has the same numbers.
using TcpStreamHeader = std::array<std::byte, 40>;
inline constexpr std::uint64_t kMostTcpStream = 4 << 20, kMostTcpUnit = 1024;  // bytes
static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(TcpHeader) == 16 && sizeof(TcpTarget) == 24 && sizeof(TcpOperands) == 16);

// At most so many bytes are read or written as one word.
inline constexpr std::uint64_t kMostTcpWord = 8;

inline constexpr std::size_t kMostTcpHeaderBytes =
    sizeof(TcpHeader) + std::max(sizeof(TcpTarget) + sizeof(TcpOperands), sizeof(TcpStreamHeader));

constexpr bool IsTcpRequest(TcpFrame frame) {
  return frame == TcpFrame::kRead || frame == TcpFrame::kWrite || frame == TcpFrame::kAtomic;
}

// Of the header and what belongs to it, without the bytes that follow.
constexpr std::size_t TcpHeaderBytes(TcpFrame frame) {
  return sizeof(TcpHeader) + (IsTcpRequest(frame) ? sizeof(TcpTarget) : 0) +
         (frame == TcpFrame::kAtomic ? sizeof(TcpOperands) : 0) +
         (frame == TcpFrame::kStream ? sizeof(TcpStreamHeader) : 0);
}

// How many bytes follow the header.
constexpr std::uint64_t TcpBytesBehind(const TcpHeader& header) {
  const bool has_bytes = header.frame == TcpFrame::kWrite || header.frame == TcpFrame::kMessage ||
                         header.frame == TcpFrame::kData || header.frame == TcpFrame::kStream;
  return has_bytes ? header.bytes : 0;
}

// Could a rank have sent it?
constexpr bool IsSane(const TcpHeader& header) {
  switch (header.frame) {
    case TcpFrame::kRead:
    case TcpFrame::kWrite:
    case TcpFrame::kData:
      return true;
    case TcpFrame::kAtomic:
      return header.type <= AtomicType::kDouble && header.op <= kLastAtomicOp &&
             Exists(header.type, header.op) && header.bytes == BytesOf(header.type) &&
             header.detail <= 1;
    case TcpFrame::kMessage:
      return header.bytes <= kMostMessageBytes;
    case TcpFrame::kEnded:
      return header.bytes == 0 && (header.detail == static_cast<std::uint8_t>(Outcome::kDone) ||
                                   header.detail == static_cast<std::uint8_t>(Outcome::kRefused));
    case TcpFrame::kStream:
      return header.bytes <= kMostTcpStream && header.tag >= 1 && header.tag <= kMostTcpUnit &&
             header.bytes % header.tag == 0;
  }
  return false;
}

}  // namespace llcl
