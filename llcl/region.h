// Registered memory, here and elsewhere, and addresses in it.
//
// Both ends of an operation lie in registered memory (in the paper the local end, too:
// registering is expensive, and only the program knows which memory is used again).
// An address is a region and an offset. A RemoteRegion is a plain value that may
// be sent to other ranks by any means.
//
// Source: [ET17] section 3.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "llcl/language.h"

namespace llcl {

// A process's number in the job.
enum class Rank : std::int32_t {};
constexpr std::int32_t ToInt(Rank rank) { return static_cast<std::int32_t>(rank); }

// A region's slot in its owner's table, and its generation among those of that slot.
struct RegionId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // 0: no region
  friend bool operator==(RegionId, RegionId) = default;
};

// A conduit has at most so many devices (conduit.h).
inline constexpr std::size_t kMostDevices = 4;

// A value: memory of another rank (or of this one) that this one may use.
struct RemoteRegion {
  Rank owner{};
  RegionId id;
  std::array<std::uint64_t, kMostDevices> keys = {};  // the conduit's, by device
  std::uint64_t start = 0;                            // the conduit's address of its first byte
  std::uint64_t bytes = 0;
  std::uint8_t misalignment = 0;  // of its first byte there: the address modulo 8
};

// A key that also says how the region is described: an owner that compares it with its own sees
// a description that has changed on its way. Not secret but for the region's key in it.
constexpr std::uint64_t KeyOfDescription(const RemoteRegion& region, std::size_t device) {
  return region.keys[device] + region.start * 0x9E3779B97F4A7C15u +
         region.bytes * 0xC2B2AE3D27D4EB4Fu + region.misalignment * 0x165667B19E3779F9u;
}

// RemoteRegion's `misalignment` for memory that begins at `start`.
inline std::uint8_t MisalignmentOf(const std::byte* start) {
  return static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(start) % 8);
}

// A value.
struct RemoteAddress {
  RemoteRegion region;
  std::uint64_t offset = 0;

  friend RemoteAddress operator+(RemoteAddress at, std::uint64_t bytes) {
    at.offset += bytes;
    return at;
  }
};

// A value: memory of this process that is registered.
struct LocalRegion {
  std::byte* start = nullptr;
  std::uint64_t bytes = 0;
  RegionId id;
  std::array<void*, kMostDevices> descriptors = {};  // the conduit's, by device
};

// A value.
struct LocalAddress {
  LocalRegion region;
  std::uint64_t offset = 0;

  std::byte* data() const { return region.start + offset; }
  friend LocalAddress operator+(LocalAddress at, std::uint64_t bytes) {
    at.offset += bytes;
    return at;
  }
};

// Do `bytes` from `offset` lie in a region of `size`? Nothing overflows.
constexpr bool Fits(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

// Where `bytes` from `offset` end; the largest number where that would overflow.
constexpr std::uint64_t EndOf(std::uint64_t offset, std::uint64_t bytes) {
  return offset <= ~bytes ? offset + bytes : ~std::uint64_t{0};
}

}  // namespace llcl
