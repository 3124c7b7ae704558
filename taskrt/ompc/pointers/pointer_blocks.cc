#include "taskrt/ompc/pointers/pointer_blocks.h"

#include <utility>

namespace taskrt {
namespace {

Tile TileOf(std::uintptr_t begin, std::uint64_t bytes) {
  return {reinterpret_cast<std::byte*>(begin), 1, bytes, bytes};
}

}  // namespace

PointerBlocks::Known& PointerBlocks::Add(std::uintptr_t begin, std::uint64_t bytes) {
  PointerBlock block;
  if (bytes == 0) block.placeholder = std::make_unique<std::byte>();
  block.handle =
      runtime_.Register(DescribeRange(begin, 0),
                        bytes == 0 ? Tile{block.placeholder.get(), 1, 1, 1} : TileOf(begin, bytes));
  return pointers_.Add(begin, bytes, std::move(block));
}

absl::StatusOr<PointerBlocks::Known*> PointerBlocks::At(std::uintptr_t begin, std::uint64_t bytes,
                                                        Lock& lock) {
  using Fit = Pointers<PointerBlock>::Fit;
  while (true) {
    const auto place = pointers_.Locate(begin, bytes);
    if (!place.ok()) return place.status();
    Known* const known = place->known;
    switch (place->fit) {
      case Fit::kInside:
        return known;
      case Fit::kNew:
        return &Add(begin, bytes);
      case Fit::kGrows:
        const absl::Status grown = runtime_.Resize(known->value.handle, TileOf(begin, bytes));
        if (grown.ok()) {
          known->bytes = bytes;
          known->value.placeholder.reset();
          return known;
        }
        if (!absl::IsFailedPrecondition(grown)) return grown;
        const Handle handle = known->value.handle;
        lock.unlock();  // Its tasks may create others.
        const absl::Status idle = runtime_.WaitOn(handle, Mode::kInOut);
        lock.lock();
        if (!idle.ok()) return idle;
    }
  }
}

}  // namespace taskrt
