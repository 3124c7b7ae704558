// Atomic operations on words of the space, at their homes.
//
// Threads: any. An operation waits for a place for its answer, of which there are some hundreds.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/engine/space_memory.h"
#include "dsm/home/home_claims.h"
#include "dsm/home/narrow_atomic.h"
#include "dsm/layout/address_map.h"
#include "dsm/peers/peers.h"
#include "llcl/atomics.h"
#include "llcl/completion.h"
#include "llcl/endpoint.h"
#include "llcl/executor/tags.h"
#include "topo/atomic.h"

namespace dsm {

// A resource; its parts outlive it.
class RemoteAtomics {
 public:
  // Errors: those of the endpoint.
  static absl::StatusOr<std::unique_ptr<RemoteAtomics>> Make(const Peers& peers,
                                                             const AddressMap& map,
                                                             const SpaceMemory& memory,
                                                             HomeClaims& claims);

  // As Space::Atomic.
  template <llcl::AtomicWord T>
  absl::StatusOr<T> Apply(T* word, llcl::AtomicOp op, T operand, T expected) {
    if (reinterpret_cast<std::uintptr_t>(word) % sizeof(T) != 0) return NotAligned();
    const PageNumber page = map_.PageAt(word);
    if (page >= map_.end() || map_.AllocationAt(page) == nullptr) {
      return absl::OutOfRangeError("the word of an atomic operation lies in no allocated memory");
    }
    const int home = claims_.Claim(page);
    if (home == kNoHome) return peers_.WhyNotAll("the word's first touch was not answered");
    AnswerSlot slot(*this);
    llcl::Flag done;
    const llcl::Posted posted = peers_.endpoint().KeepTrying([&] {
      return peers_.endpoint().TryAtomic<T>({.target = memory_.At(home, map_.OffsetOf(word)),
                                             .op = op,
                                             .operand = operand,
                                             .expected = expected,
                                             .fetch_to = slot.address(),
                                             .then = done.completion()});
    });
    if (absl::Status status = peers_.Finish(posted, done); !status.ok()) {
      slot.Abandon();  // The answer may come yet.
      return status;
    }
    return *reinterpret_cast<const T*>(slot.address().data());
  }
  template <NarrowWord T>
  absl::StatusOr<T> Apply(T* word, llcl::AtomicOp op, T operand, T expected) {
    if (reinterpret_cast<std::uintptr_t>(word) % sizeof(T) != 0) return NotAligned();
    const NarrowPlace<T> place(word);
    auto before = Apply<std::uint32_t>(place.whole(), llcl::AtomicOp::kAdd, 0, 0);
    while (before.ok()) {
      const std::uint32_t after = place.Apply(*before, op, operand, expected);
      const auto found =
          Apply<std::uint32_t>(place.whole(), llcl::AtomicOp::kCompareSwap, after, *before);
      if (found.ok() && *found == *before) return place.In(*before);
      before = found;
    }
    return before.status();
  }

 private:
  static constexpr llcl::Tag kSlots = 256;
  static constexpr std::uint64_t kSlotBytes = 8;

  static absl::Status NotAligned() {
    return absl::InvalidArgumentError("the word of an atomic operation is not aligned");
  }

  // Where the answer to one operation comes. A resource.
  class AnswerSlot {
   public:
    explicit AnswerSlot(RemoteAtomics& atomics);
    ~AnswerSlot();
    AnswerSlot(const AnswerSlot&) = delete;
    AnswerSlot& operator=(const AnswerSlot&) = delete;
    // It is not used again.
    void Abandon() { is_free_ = false; }
    llcl::LocalAddress address() const { return {atomics_.answers_.local(), slot_ * kSlotBytes}; }

   private:
    RemoteAtomics& atomics_;
    llcl::Tag slot_;
    bool is_free_ = true;
  };

  RemoteAtomics(const Peers& peers, const AddressMap& map, const SpaceMemory& memory,
                HomeClaims& claims)
      : peers_(peers), map_(map), memory_(memory), claims_(claims) {}

  const Peers peers_;
  const AddressMap& map_;
  const SpaceMemory& memory_;
  HomeClaims& claims_;
  llcl::Region answers_;  // by slot
  llcl::BasicTags<topo::Atomic> free_slots_{kSlots};
};

}  // namespace dsm
