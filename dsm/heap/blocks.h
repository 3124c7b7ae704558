// Which bytes of a heap are allocated: blocks of a few sizes in slabs, larger ones by themselves.
// Nothing of this lies in the heap, so that a program that writes beyond a block harms no other
// state than other blocks, and pages of free blocks need not come.
//
// Pure. Threads: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "topo/free_ranges.h"

namespace dsm {

// A value.
class Blocks {
 public:
  static constexpr std::uint64_t kUnit = 4096;       // of a slab and of a large block
  static constexpr std::uint64_t kLeastBytes = 16;   // of a block, and its alignment
  static constexpr std::uint64_t kMostSmall = 2048;  // larger blocks have units of their own

  // Free bytes from offset 0 on; `bytes`: a multiple of kUnit.
  explicit Blocks(std::uint64_t bytes) { ranges_.Give({0, bytes}); }

  // The offset of a new block; nothing: there is no room. `alignment`: a power of two.
  std::optional<std::uint64_t> Allocate(std::uint64_t bytes, std::uint64_t alignment);
  // False: there is no block at the offset, or it is another: a large block has the bytes that it
  // was allocated with, a block in a slab has at least as many as are freed.
  [[nodiscard]] bool Free(std::uint64_t offset, std::uint64_t bytes);

  // Of blocks, with their rounding.
  std::uint64_t used_bytes() const { return used_bytes_; }

 private:
  static constexpr std::uint64_t kSlabBytes = 4 * kUnit;
  // Sizes of small blocks: four between a power of two and the next.
  static constexpr std::array<std::uint64_t, 25> kSizes = {
      16,  32,  48,  64,  80,  96,  112,  128,  160,  192,  224,  256, 320,
      384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 0};
  static constexpr std::size_t kClasses = kSizes.size() - 1;

  // Blocks of one size.
  struct Slab {
    std::size_t size_class = 0;
    std::uint64_t free = 0;                  // blocks
    std::vector<std::uint64_t> free_blocks;  // a bit for each block
  };
  struct Large {
    std::uint64_t bytes = 0;     // as it was asked for
    topo::AddressRange taken{};  // around it
  };

  std::optional<std::uint64_t> AllocateSmall(std::size_t size_class);
  std::optional<std::uint64_t> AllocateLarge(std::uint64_t bytes, std::uint64_t alignment);
  bool FreeSmall(std::uint64_t slab_at, std::uint64_t offset, std::uint64_t bytes);

  topo::FreeRanges ranges_;
  std::map<std::uint64_t, Slab> slabs_;                            // by offset
  std::array<std::set<std::uint64_t>, kClasses> slabs_with_room_;  // by class
  std::map<std::uint64_t, Large> large_;                           // by offset
  std::uint64_t used_bytes_ = 0;
};

}  // namespace dsm
