// The format of a difference of a page (diff.h).
//
// A difference is a row of records, one for each line of 64 bytes with a change, lines
// ascending:
//
//   u32  line     which 64 bytes of the page
//   u64  changed  bit i: byte i of the line has changed; never 0
//   u8   bytes[]  the changed ones, in order: as many as `changed` has ones
//
// all little endian and without padding. Each record says where it belongs, so that a
// difference that is cut between two records is two differences (EncodeDiffPart), and two
// that follow each other are one, as long as lines ascend. Runs (offset, length, bytes)
// would be smaller where few long ones change, but a program that changes every second
// word has 512 runs in a page of 4 KiB; the records are 12 bytes for 64 at the worst.
//
// Pure; any thread may call.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dsm {

static_assert(std::endian::native == std::endian::little, "differences are little endian");

inline constexpr std::size_t kDiffLineBytes = 64;
// A record of a line that has changed in every byte.
inline constexpr std::size_t kMostDiffRecordBytes = 4 + 8 + kDiffLineBytes;

// A value: what precedes the changed bytes of a line.
struct DiffHeader {
  static constexpr std::size_t kBytes = 12;

  std::uint32_t line = 0;
  std::uint64_t changed = 0;

  [[gnu::always_inline]] std::size_t changed_bytes() const {
    return static_cast<std::size_t>(std::popcount(changed));
  }

  [[gnu::always_inline]] static DiffHeader At(const std::byte* record) {
    DiffHeader header;
    std::memcpy(&header.line, record, 4);
    std::memcpy(&header.changed, record + 4, 8);
    return header;
  }

  // Returns where the changed bytes go.
  [[gnu::always_inline]] std::byte* PutAt(std::byte* record) const {
    std::memcpy(record, &line, 4);
    std::memcpy(record + 4, &changed, 8);
    return record + kBytes;
  }
};

// A value.
struct DiffPart {
  std::size_t used = 0;       // bytes of `out`
  std::size_t next_line = 0;  // where the next part begins; behind the last line: this was the last
  friend bool operator==(const DiffPart&, const DiffPart&) = default;
};

}  // namespace dsm
