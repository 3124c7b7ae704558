#include "dsm/heap.h"

#include <bit>
#include <cstdio>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dsm/layout/pages.h"
#include "llcl/atomics.h"

namespace dsm {
namespace {

absl::Status CheckBlock(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes == 0) return absl::InvalidArgumentError("a block has at least one byte");
  if (std::has_single_bit(alignment) && alignment <= Blocks::kUnit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("alignment is ", alignment, ": it is a power of two, at most ", Blocks::kUnit));
}

absl::Status NoRoom(std::uint64_t bytes, std::uint64_t of, const char* option) {
  return absl::ResourceExhaustedError(absl::StrCat("the heap has no room for a block of ", bytes,
                                                   " bytes (HeapOptions::", option, " is ", of,
                                                   ")"));
}

absl::Status NoBlock(std::span<const std::byte> block) {
  return absl::InvalidArgumentError(
      absl::StrCat("the ", block.size(), " bytes at 0x",
                   absl::Hex(reinterpret_cast<std::uintptr_t>(block.data())),
                   " are not a block of the heap, or were freed before"));
}

// Where a block begins in memory; nothing: it lies elsewhere.
std::optional<std::uint64_t> OffsetIn(std::span<const std::byte> memory,
                                      std::span<const std::byte> block) {
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(block.data()) -
                               reinterpret_cast<std::uintptr_t>(memory.data());
  if (offset >= memory.size() || block.size() > memory.size() - offset) return std::nullopt;
  return offset;
}

std::uint64_t Load(std::uint64_t& word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

}  // namespace

std::array<std::atomic<Heap*>, Heap::kMostHeaps> Heap::heaps_ = {};

absl::StatusOr<std::unique_ptr<Heap>> Heap::Make(Space& space, const HeapOptions& options) {
  const PageSize size(space.options().page_bytes);
  const auto whole = [&](std::uint64_t bytes) { return size.BytesOf(size.PagesFor(bytes)); };
  const auto ranks = static_cast<std::uint64_t>(space.ranks());
  // The list takes a unit of each rank's.
  const std::uint64_t list_bytes = options.own_bytes > 0 ? Blocks::kUnit : 0;
  const std::uint64_t most_own_bytes = space.options().bytes / ranks;
  if (most_own_bytes < list_bytes || options.own_bytes > most_own_bytes - list_bytes ||
      options.shared_bytes > space.options().bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a heap of ", options.own_bytes, " own bytes and ", options.shared_bytes,
                     " shared bytes does not fit in a space of ", space.options().bytes, " bytes"));
  }
  std::span<std::byte> own, shared;
  if (options.own_bytes > 0) {
    const std::uint64_t own_bytes = whole(options.own_bytes + list_bytes);
    const auto made = space.Allocate({{own_bytes * ranks}, 1}, Block{.count = space.ranks()});
    if (!made.ok()) return made.status();
    own = *made;
  }
  if (options.shared_bytes > 0) {
    const auto made = space.Allocate({{whole(options.shared_bytes)}, 1},
                                     Cyclic{.pages = 1, .count = space.ranks()});
    if (!made.ok()) {
      if (!own.empty()) (void)space.Free(own);
      return made.status();
    }
    shared = *made;
  }
  std::unique_ptr<Heap> heap(new Heap(space, options, own, shared));
  if (absl::Status taken = heap->TakeNumber(); !taken.ok()) return taken;
  return heap;
}

Heap::Heap(Space& space, const HeapOptions& options, std::span<std::byte> own,
           std::span<std::byte> shared)
    : space_(space),
      options_(options),
      own_(own),
      shared_(shared),
      own_bytes_(own.size() / static_cast<std::uint64_t>(space.ranks())),
      own_blocks_(own_bytes_),
      shared_blocks_(shared.size()) {
  const topo::Lock lock(mutex_);
  // The list: the first block, at offset 0.
  if (own_bytes_ > 0) (void)own_blocks_.Allocate(Blocks::kUnit, Blocks::kUnit);
}

absl::Status Heap::TakeNumber() {
  for (std::uint32_t number = 0; number < kMostHeaps; ++number) {
    Heap* none = nullptr;
    if (!heaps_[number].compare_exchange_strong(none, this, std::memory_order_acq_rel)) continue;
    number_ = number;
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat("a process has at most ", kMostHeaps, " heaps"));
}

Heap::~Heap() {
  if (number_ < kMostHeaps) heaps_[number_].store(nullptr, std::memory_order_release);
  for (const std::span<std::byte> memory : {own_, shared_}) {
    if (!memory.empty()) (void)space_.Free(memory);
  }
}

absl::StatusOr<std::span<std::byte>> Heap::Allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (absl::Status good = CheckBlock(bytes, alignment); !good.ok()) return good;
  TakeFreed();
  const topo::Lock lock(mutex_);
  const auto offset = own_blocks_.Allocate(bytes, alignment);
  if (!offset) return NoRoom(bytes, options_.own_bytes, "own_bytes");
  return std::span(OwnAt(space_.rank(), *offset), bytes);
}

absl::Status Heap::Free(std::span<const std::byte> block) {
  const auto at = OffsetIn(own_, block);
  if (!at || block.empty()) return NoBlock(block);
  const auto rank = static_cast<int>(*at / own_bytes_);
  const std::uint64_t offset = *at % own_bytes_;
  if (rank == space_.rank()) {
    const topo::Lock lock(mutex_);
    return offset != kNone && own_blocks_.Free(offset, block.size()) ? absl::OkStatus()
                                                                     : NoBlock(block);
  }
  if (offset == kNone || offset % Blocks::kLeastBytes != 0) return NoBlock(block);
  // Later, what this rank wrote would be applied to what the block is then.
  if (absl::Status released = space_.Release(block); !released.ok()) return released;
  return PushFreed(rank, offset, block.size());
}

absl::Status Heap::PushFreed(int rank, std::uint64_t offset, std::uint64_t bytes) {
  using llcl::AtomicOp;
  FreedBlock* const block = FreedAt(rank, offset);
  std::uint64_t* const first = &FreedAt(rank, 0)->next;
  auto done = space_.Atomic<std::uint64_t>(&block->bytes, AtomicOp::kSwap, bytes);
  for (std::uint64_t next = kNone; done.ok();) {
    done = space_.Atomic<std::uint64_t>(&block->next, AtomicOp::kSwap, next);
    if (!done.ok()) break;
    done = space_.Atomic<std::uint64_t>(first, AtomicOp::kCompareSwap, offset, next);
    if (done.ok() && *done == next) return absl::OkStatus();
    if (done.ok()) next = *done;
  }
  return done.status();
}

// Its words are at home here: they are read in place.
void Heap::TakeFreed() {
  if (own_bytes_ == 0) return;
  std::uint64_t* const first = &FreedAt(space_.rank(), 0)->next;
  if (Load(*first) == kNone) return;
  const auto taken = space_.Atomic<std::uint64_t>(first, llcl::AtomicOp::kSwap, kNone);
  if (!taken.ok()) return;
  const topo::Lock lock(mutex_);
  for (std::uint64_t offset = *taken; offset != kNone;) {
    FreedBlock* const block = FreedAt(space_.rank(), offset);
    const std::uint64_t next = Load(block->next), bytes = Load(block->bytes);
    if (!own_blocks_.Free(offset, bytes)) {
      std::fprintf(stderr,
                   "dsm: rank %d: another rank has freed %llu bytes at %p, which are no block of "
                   "the heap or were freed before; blocks that were freed just before stay used\n",
                   space_.rank(), static_cast<unsigned long long>(bytes),
                   static_cast<void*>(block));
      return;
    }
    offset = next;
  }
}

absl::StatusOr<std::span<std::byte>> Heap::AllocateTogether(std::uint64_t bytes,
                                                            std::uint64_t alignment) {
  if (absl::Status good = CheckBlock(bytes, alignment); !good.ok()) return good;
  const auto offset = shared_blocks_.Allocate(bytes, alignment);
  if (!offset) return NoRoom(bytes, options_.shared_bytes, "shared_bytes");
  return shared_.subspan(*offset, bytes);
}

absl::Status Heap::FreeTogether(std::span<const std::byte> block) {
  const auto offset = OffsetIn(shared_, block);
  if (!offset || !shared_blocks_.Free(*offset, block.size())) return NoBlock(block);
  return space_.Barrier(Consistency::kFlush);
}

std::uint64_t Heap::used_bytes() {
  const topo::Lock lock(mutex_);
  return own_blocks_.used_bytes() - (own_bytes_ > 0 ? Blocks::kUnit : 0);
}

}  // namespace dsm
