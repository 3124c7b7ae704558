// The difference of a page against its twin, byte by byte, and putting it into another
// copy of the page.
//
// A twin is what a page was before anybody here wrote to it. The difference holds the
// bytes that have changed and no others, so that ranks that write to different bytes of a
// page (false sharing) all keep what they wrote, whoever's difference comes first.
//
// The format of a difference, a row of records, is that of record.h.
//
// Pages are multiples of 64 bytes, of any alignment. All functions do the same on every
// processor; which instructions they use is chosen when the first of them is called
// (diff_kernel.h). That allocates, so who calls them in a signal handler has called one
// before.
//
// Threads: any. Bytes of `page` that another thread writes while it is encoded are in the
// difference as they were or as they are, or not at all: who needs to know writes to the
// page only before. ApplyDiff writes to no byte that has not changed, so others may use
// those meanwhile.
//
// Source: [Mid18] section 2.6 (the flush barrier sends what was changed to the owner);
// twins and diffs are those of TreadMarks (Keleher et al., USENIX Winter 1994).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dsm/diff/record.h"

namespace dsm {

// What the difference of a page takes if every byte has changed.
constexpr std::size_t MostDiffBytes(std::size_t page_bytes) {
  return page_bytes / kDiffLineBytes * kMostDiffRecordBytes;
}

// Writes the difference to `out`, which has MostDiffBytes(page.size()) or more, and
// returns how many bytes of it are used: 0 if nothing has changed. What follows them in
// `out` may be overwritten.
[[nodiscard]] std::size_t EncodeDiff(std::span<const std::byte> twin,
                                     std::span<const std::byte> page, std::span<std::byte> out);

// As much of the difference as `out` has room for, kMostDiffRecordBytes or more, beginning
// at line `first_line`. Each part is a difference of its own, and all together the whole:
//
//   for (std::size_t line = 0; line < page.size() / kDiffLineBytes;) {
//     const DiffPart part = EncodeDiffPart(twin, page, line, message);
//     if (part.used > 0) Send(message.first(part.used));
//     line = part.next_line;
//   }
[[nodiscard]] DiffPart EncodeDiffPart(std::span<const std::byte> twin,
                                      std::span<const std::byte> page, std::size_t first_line,
                                      std::span<std::byte> out);

// Writes the changed bytes to the page, and only these: each by a store that touches no
// other byte. False if `diff` is not a difference of such a page; then nothing is written.
[[nodiscard]] bool ApplyDiff(std::span<const std::byte> diff, std::span<std::byte> page);

// Is there a difference?
[[nodiscard]] bool IsChanged(std::span<const std::byte> twin, std::span<const std::byte> page);

// For a report of races: the offsets, ascending, of the bytes that `diff` changes and that
// have changed here too, between the home's own `twin` and its `page` as it was before the
// difference came. That both wrote the same value does not excuse them. Slow. None if
// `diff` is not a difference of such a page.
std::vector<std::size_t> Conflicts(std::span<const std::byte> diff, std::span<const std::byte> twin,
                                   std::span<const std::byte> page);

}  // namespace dsm
