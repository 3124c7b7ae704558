// Memory for stacks: slabs of equal stacks, each with a guard below it; and larger ones, a slab for
// each, for threads that ask for more.
//
// Stacks are handed out and taken back in batches (each worker keeps a list of
// its own) and unmapped all together at the end, so that a thief which reads a
// hint on a stack never faults.
//
// The pages of free stacks go back to the system where there are more than kMostKept: many
// threads that waited at once leave no memory in use. The stack's address stays for a later thread.
//
// A guard makes an overflow a fault instead of silent corruption, by functions
// whose frames are smaller than the guard, 64 KiB (by -fstack-clash-protection
// compilers make functions with larger ones touch each page). Where the kernel has
// guard regions (MADV_GUARD_INSTALL, Linux 6.13) a guard costs no mapping, so there
// may be a million. Elsewhere mprotect makes two mappings of each, of
// which a process has some 65,000 (vm.max_map_count), for everything it does: half
// of them are used, and the stacks after those have no guard, which `unguarded`
// counts.
//
// Threads: any, all members.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "lwt/machine/atomic.h"
#include "lwt/machine/sanitizer.h"
#include "topo/mutex.h"

namespace lwt {

struct Descriptor;

// What a switch leaves to be done once the flow that left is suspended.
struct Handoff {
  void (*run)(Handoff&) = nullptr;
  Descriptor* thread = nullptr;  // that was suspended; null: it has ended
};

// Stacks are whole pages apart, so their upper ends would all fall into the same sets of a
// first-level cache, which holds eight or so of each. They are spread, and still use one page where
// little is on them.
inline constexpr std::size_t kStackColors = 4, kStackColorBytes = 512;

// A value at the upper end of a stack, which grows down from here. As a handoff
// it is that of a thread which ended on this stack.
struct alignas(64) Stack : Handoff {
  void* top() { return this; }
  void* left = nullptr;                   // the stack pointer of what ended here; never read
  Stack* next_free = nullptr;             // in lists of free stacks
  Relaxed<Descriptor*> thread = nullptr;  // to which it was given last
  std::size_t own_bytes = 0;              // of one from TakeOwn; 0: of those that are all equal
  SanitizerFlow flow;                     // of the flow that runs on it

  // Of one from TakeOwn: what can be used of it.
  std::size_t usable_own_bytes() const;
};

// The part of a stack's address space that its thread cannot use has at most so many bytes.
inline constexpr std::size_t kStackOverheadBytes =
    (kStackColors - 1) * kStackColorBytes + sizeof(Stack);
inline std::size_t Stack::usable_own_bytes() const { return own_bytes - kStackOverheadBytes; }

// A resource.
class StackSlabs {
 public:
  // Of `stack_bytes` that can be used of each.
  explicit StackSlabs(std::size_t stack_bytes);
  ~StackSlabs();
  StackSlabs(const StackSlabs&) = delete;
  StackSlabs& operator=(const StackSlabs&) = delete;

  // Fills `stacks` from the front; returns how many. Fewer than asked for only
  // where memory ends.
  std::size_t Take(std::span<Stack*> stacks);
  // One of at least `bytes` that can be used; null where memory ends.
  Stack* TakeOwn(std::size_t bytes);
  // Of either kind. The memory of one from TakeOwn goes back to the system, its addresses stay for
  // the next that asks for as much; of equal ones the memory of those beyond kMostKept goes back.
  void GiveBack(std::span<Stack* const> stacks);

  // How many free stacks keep their pages: 4 MiB where each has touched one page of 4 KiB, as
  // threads that wait do. To give a page back and touch it again took two to fifteen microseconds
  // on a busy machine, the more the more workers did so: a program whose number of waiting threads
  // goes up and down by a thousand does not pay that, by more it does.
  static constexpr std::size_t kMostKept = 1024;

  // Under Memcheck, of a stack that was handed out and on which nothing runs: what is written there
  // next is no error.
  void AnnounceUnused(Stack& stack) const;

  // Each thread can use at least so many: as many as were asked for.
  std::size_t usable_bytes() const { return usable_bytes_; }

  // The stack in whose guard `address` lies; null if in none. Takes no lock, so
  // that a signal handler may ask.
  Stack* OverflownStack(const void* address) const;
  // The stack on which `address` lies, which has been handed out. Takes no lock.
  Stack* StackOf(const void* address) const;

  struct Counts {
    std::int64_t made = 0;
    std::int64_t unguarded = 0;
  };
  Counts counts() const;

 private:
  struct Slab {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    std::size_t stride_bytes = 0;  // from stack to stack
  };
  // Where a stack begins, with its guard, and its length with that.
  struct Place {
    std::byte* bottom = nullptr;
    std::size_t stride_bytes = 0;
  };
  // The one that `address` is in; null if in none.
  Place PlaceOf(const void* address) const;
  std::size_t TakeFree(std::span<Stack*> stacks, std::span<Stack*>& bare);
  std::size_t FirstSlabBytes() const;
  bool AddSlab() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Map(std::size_t bytes, std::size_t stride_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Stack* MakeStack(Place place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Guard(std::byte* bottom) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::byte* BottomOfEqual(const Stack& stack) const;
  bool MakeRoomForBare() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Stack* CutOlderHalf() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveBackPages(Stack* list) ABSL_LOCKS_EXCLUDED(mutex_);
  static Stack* StackAt(Place place) {
    const std::size_t color =
        reinterpret_cast<std::uintptr_t>(place.bottom) / place.stride_bytes % kStackColors;
    return reinterpret_cast<Stack*>(place.bottom + place.stride_bytes - color * kStackColorBytes) -
           1;
  }

  static constexpr std::size_t kGuardBytes = 64 << 10;
  static constexpr std::size_t kMostSlabs = 65536;

  const std::size_t usable_bytes_;
  const std::size_t stride_bytes_;  // from stack to stack: guard and stack
  mutable topo::Mutex mutex_;
  Stack* free_ ABSL_GUARDED_BY(mutex_) = nullptr;  // newest first
  std::size_t free_count_ ABSL_GUARDED_BY(mutex_) = 0;
  // Free ones without pages. Beside the stacks, because a list that goes through them would touch
  // each; with room for all that were made, because a thread's end must not ask for memory.
  std::vector<Stack*> bare_ ABSL_GUARDED_BY(mutex_);
  Stack* free_own_ ABSL_GUARDED_BY(mutex_) = nullptr;  // from TakeOwn, of any sizes
  // Appended to with mutex_ held, and read without it, up to slab_count_: its capacity is reserved,
  // so a slab never moves.
  std::vector<Slab> slabs_;
  std::atomic<std::size_t> slab_count_{0};
  // The slab of equal stacks that is not used up, and how much of it is.
  const Slab* carved_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::size_t carved_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::int64_t mappings_left_ ABSL_GUARDED_BY(mutex_);  // for guards that need them
  Counts counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lwt
