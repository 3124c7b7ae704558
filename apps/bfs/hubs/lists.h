// Lists of neighbors, one after the other, with a short index. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "apps/bfs/hubs/bitmap.h"
#include "apps/graph/edge_list.h"

namespace bfs {

// A view. List i begins at bases[i / 64] + offsets[i], about half of what 64-bit offsets take; both
// arrays have an entry for the list after the last.
struct Lists {
  std::uint64_t* bases = nullptr;
  std::uint32_t* offsets = nullptr;
  graph::Vertex* neighbors = nullptr;

  std::uint64_t begin(std::uint64_t list) const { return bases[list / kWordBits] + offsets[list]; }
  std::uint64_t size(std::uint64_t list) const { return begin(list + 1) - begin(list); }
  std::span<const graph::Vertex> of(std::uint64_t list) const {
    return {neighbors + begin(list), neighbors + begin(list + 1)};
  }

  // Writes where a list begins into the index; false where that is 2^32 or more behind the first of
  // its 64 lists. Precondition: earlier lists of the 64 have been written.
  [[nodiscard]] bool Begin(std::uint64_t list, std::uint64_t begin) const {
    if (list % kWordBits == 0) bases[list / kWordBits] = begin;
    const std::uint64_t offset = begin - bases[list / kWordBits];
    offsets[list] = static_cast<std::uint32_t>(offset);
    return offset <= std::numeric_limits<std::uint32_t>::max();
  }
};

}  // namespace bfs
