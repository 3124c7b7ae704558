// A heap in a space: small and large blocks at run time, that pointers of all ranks reach.
//
//   auto heap = dsm::Heap::Make(**space, {.own_bytes = 64 << 20, .shared_bytes = 64 << 20});
//                                                              // all ranks
//   const auto mine = (*heap)->Allocate(100);                  // any thread of any rank
//   const auto ours = (*heap)->AllocateTogether(1000);         // all ranks: the same block
//   std::vector<int, dsm::Allocator<int>> numbers{dsm::Allocator<int>(**heap)};
//   ...
//   (*heap)->Free(*mine);                                      // any thread of any rank
//
// A block of Allocate is at home on the rank that allocated it, so the blocks of two ranks share no
// page. Blocks of AllocateTogether are spread over all ranks by pages. A new block has any bytes.
//
// Memory of the space has the rules of the space (space.h): between barriers and locks what one
// rank writes to a block is not seen by others, and two ranks do not use one block at the same
// time. A rank that frees a block is the only one that uses it, and has seen what others wrote
// there.
//
// A checkpoint has the bytes of blocks, and not which blocks there are: a program that restores one
// has the same blocks at the same addresses as the one that saved it. Before it saves, all ranks
// meet at a barrier and call used_bytes(), which takes back the blocks that other ranks freed.
//
// Threads: Allocate, Free and Allocator by any; the rest by one of a rank at a time, and by all
//   ranks in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/heap/blocks.h"
#include "dsm/space.h"
#include "topo/mutex.h"

namespace dsm {

// A value; the same on all ranks. Addresses of the space; memory only where used. Blocks of at most
// 2 KiB share slabs of 16 KiB, one for each size in use; where there is no room for a slab a block
// takes 4 KiB.
struct HeapOptions {
  std::uint64_t own_bytes = 0;     // for blocks of Allocate, on each rank
  std::uint64_t shared_bytes = 0;  // for blocks of AllocateTogether
};

// A resource; the space outlives it.
class Heap {
 public:
  // A process has so many at most.
  static constexpr std::uint32_t kMostHeaps = 64;

  // All ranks call it. Errors: those of Space::Allocate; ResourceExhausted for too many heaps.
  static absl::StatusOr<std::unique_ptr<Heap>> Make(Space& space, const HeapOptions& options);
  // All ranks call it; gives the memory of all blocks back.
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // A block at home on this rank. `alignment`: a power of two, at most 4096. Errors:
  // ResourceExhausted; InvalidArgument for no bytes or another alignment.
  absl::StatusOr<std::span<std::byte>> Allocate(std::uint64_t bytes, std::uint64_t alignment = 16);
  // A block of Allocate, as a whole, of any rank. What the caller's rank wrote to it goes home
  // first (Space::Release). Errors: InvalidArgument where the caller's rank sees that it is none;
  // those of Space::Atomic. For a block of another rank 16 bytes at its beginning are overwritten,
  // whatever it is; that rank says on standard error where it is none.
  absl::Status Free(std::span<const std::byte> block);

  // The same block on all ranks, which all call it. Errors: as Allocate.
  absl::StatusOr<std::span<std::byte>> AllocateTogether(std::uint64_t bytes,
                                                        std::uint64_t alignment = 16);
  // A block of AllocateTogether, on all ranks. Begins with a flush barrier, so that none uses it.
  // Errors: InvalidArgument; those of Space::Barrier.
  absl::Status FreeTogether(std::span<const std::byte> block);

  // Of blocks of this rank's own that are not free, with their rounding. Blocks that other ranks
  // have freed are counted until this rank's next Allocate.
  std::uint64_t used_bytes();

  // The heaps of all ranks have the same numbers, where they are made in the same order.
  std::uint32_t number() const { return number_; }
  // Precondition: there is one of this number.
  static Heap& Numbered(std::uint32_t number) {
    return *heaps_[number].load(std::memory_order_acquire);
  }

 private:
  // Blocks that other ranks have freed are a list (Treiber's stack), for their own rank to take at
  // its next Allocate: in each block the offset of the next and its own size; the first offset is
  // at the beginning of the rank's own memory. Only atomic operations of the space change these
  // words.
  struct FreedBlock {
    std::uint64_t next = kNone;
    std::uint64_t bytes = 0;
  };
  static constexpr std::uint64_t kNone = 0;  // where the list begins

  Heap(Space& space, const HeapOptions& options, std::span<std::byte> own,
       std::span<std::byte> shared);
  absl::Status TakeNumber();
  std::byte* OwnAt(int rank, std::uint64_t offset) const {
    return own_.data() + static_cast<std::uint64_t>(rank) * own_bytes_ + offset;
  }
  FreedBlock* FreedAt(int rank, std::uint64_t offset) const {
    return reinterpret_cast<FreedBlock*>(OwnAt(rank, offset));
  }
  absl::Status PushFreed(int rank, std::uint64_t offset, std::uint64_t bytes);
  void TakeFreed() ABSL_LOCKS_EXCLUDED(mutex_);

  static std::array<std::atomic<Heap*>, kMostHeaps> heaps_;

  Space& space_;
  const HeapOptions options_;
  const std::span<std::byte> own_, shared_;  // allocations of the space; own_: of all ranks
  const std::uint64_t own_bytes_;            // of each rank
  std::uint32_t number_ = kMostHeaps;
  topo::Mutex mutex_;
  Blocks own_blocks_ ABSL_GUARDED_BY(mutex_);
  Blocks shared_blocks_;
};

// An allocator of C++'s containers, for blocks of Allocate; throws std::bad_alloc where there is no
// room. A container that lies in the heap itself may be used by all ranks, one after the other. A
// value.
template <typename T>
class Allocator {
 public:
  using value_type = T;

  // The heap outlives what is allocated.
  explicit Allocator(const Heap& heap) : heap_(heap.number()) {}
  template <typename U>
  Allocator(const Allocator<U>& other) : heap_(other.heap()) {}  // NOLINT: as the standard's

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    const auto block = Heap::Numbered(heap_).Allocate(BytesOf(count), alignof(T));
    if (!block.ok()) throw std::bad_alloc();
    return reinterpret_cast<T*>(block->data());
  }
  void deallocate(T* at, std::size_t count) noexcept {
    const auto* const bytes = reinterpret_cast<const std::byte*>(at);
    (void)Heap::Numbered(heap_).Free({bytes, BytesOf(count)});
  }

  std::uint32_t heap() const { return heap_; }
  template <typename U>
  friend bool operator==(const Allocator& a, const Allocator<U>& b) {
    return a.heap() == b.heap();
  }

 private:
  // No elements have a block, too.
  static std::size_t BytesOf(std::size_t count) {
    return std::max<std::size_t>(count, 1) * sizeof(T);
  }

  std::uint32_t heap_;
};

}  // namespace dsm
