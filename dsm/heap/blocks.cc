#include "dsm/heap/blocks.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace dsm {
namespace {

constexpr std::uint64_t RoundUp(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

}  // namespace

std::optional<std::uint64_t> Blocks::Allocate(std::uint64_t bytes, std::uint64_t alignment) {
  // A block of a power of two lies at a multiple of it.
  const std::uint64_t small =
      alignment <= kLeastBytes ? bytes : std::bit_ceil(std::max(std::min(bytes, kUnit), alignment));
  if (bytes > kMostSmall || small > kMostSmall) return AllocateLarge(bytes, alignment);
  const auto size = std::lower_bound(kSizes.begin(), kSizes.begin() + kClasses, small);
  const auto in_slab = AllocateSmall(static_cast<std::size_t>(size - kSizes.begin()));
  // Where there is no room for a slab a block has a unit of its own.
  return in_slab ? in_slab : AllocateLarge(bytes, alignment);
}

std::optional<std::uint64_t> Blocks::AllocateSmall(std::size_t size_class) {
  const std::uint64_t size = kSizes[size_class];
  std::set<std::uint64_t>& with_room = slabs_with_room_[size_class];
  if (with_room.empty()) {
    const auto range = ranges_.TryTake(kSlabBytes);
    if (!range) return std::nullopt;
    Slab slab = {size_class, kSlabBytes / size, {}};
    for (std::uint64_t left = slab.free; left > 0; left -= std::min<std::uint64_t>(left, 64)) {
      slab.free_blocks.push_back(left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1);
    }
    slabs_.emplace(range->begin, std::move(slab));
    with_room.insert(range->begin);
  }
  const std::uint64_t at = *with_room.begin();
  Slab& slab = slabs_.at(at);
  const auto word = std::find_if(slab.free_blocks.begin(), slab.free_blocks.end(),
                                 [](std::uint64_t bits) { return bits != 0; });
  const auto bit = static_cast<std::uint64_t>(std::countr_zero(*word));
  *word &= *word - 1;
  if (--slab.free == 0) with_room.erase(at);
  used_bytes_ += size;
  const auto number = static_cast<std::uint64_t>(word - slab.free_blocks.begin()) * 64 + bit;
  return at + number * size;
}

std::optional<std::uint64_t> Blocks::AllocateLarge(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t spare = std::max(alignment, kUnit) - kUnit;
  // The largest range has less than all bytes: nothing overflows.
  if (bytes > ~std::uint64_t{0} - spare - kUnit) return std::nullopt;
  const std::uint64_t units = RoundUp(bytes, kUnit);
  const auto range = ranges_.TryTake(units + spare);
  if (!range) return std::nullopt;
  const std::uint64_t at = RoundUp(range->begin, std::max(alignment, kUnit));
  ranges_.Give({range->begin, at});
  ranges_.Give({at + units, range->end});
  large_[at] = {bytes, {at, at + units}};
  used_bytes_ += units;
  return at;
}

bool Blocks::Free(std::uint64_t offset, std::uint64_t bytes) {
  if (const auto found = large_.find(offset); found != large_.end()) {
    if (found->second.bytes != bytes) return false;
    used_bytes_ -= found->second.taken.bytes();
    ranges_.Give(found->second.taken);
    large_.erase(found);
    return true;
  }
  const auto next = slabs_.upper_bound(offset);
  if (next == slabs_.begin()) return false;
  return FreeSmall(std::prev(next)->first, offset, bytes);
}

bool Blocks::FreeSmall(std::uint64_t slab_at, std::uint64_t offset, std::uint64_t bytes) {
  Slab& slab = slabs_.at(slab_at);
  const std::uint64_t size = kSizes[slab.size_class];
  const std::uint64_t number = (offset - slab_at) / size;
  if (offset - slab_at >= kSlabBytes / size * size || (offset - slab_at) % size != 0 ||
      bytes > size) {
    return false;
  }
  std::uint64_t& word = slab.free_blocks[number / 64];
  const std::uint64_t bit = std::uint64_t{1} << number % 64;
  if ((word & bit) != 0) return false;
  word |= bit;
  used_bytes_ -= size;
  if (++slab.free < kSlabBytes / size) {
    slabs_with_room_[slab.size_class].insert(slab_at);
    return true;
  }
  slabs_with_room_[slab.size_class].erase(slab_at);
  slabs_.erase(slab_at);
  ranges_.Give({slab_at, slab_at + kSlabBytes});
  return true;
}

}  // namespace dsm
