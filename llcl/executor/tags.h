// Tags: small numbers that name operations in flight. Each belongs to one operation until it
// is freed, so it can index the operation's state.
//
// A free list of indices, with a count in its head against ABA (a tag that was
// taken and freed meanwhile must not pass for the one that was seen). The paper
// has a ring behind a spin lock, and names that lock as its bottleneck.
//
// Threads: any, both members.
// Order: what came before Free(tag) happens before what follows the TryTake that
//   returned it (head_: release, acquire).
// Progress: lock-free.
//
// Source: [ET17] section 3.3. tests/tags_model_test.cc runs this code under
// every interleaving of up to 3 preemptions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "llcl/executor/tag.h"

namespace llcl {

// A resource.
template <template <typename> class AtomicT>
class BasicTags {
 public:
  // Tags 0 ... count - 1, all free; count < kNullTag.
  explicit BasicTags(Tag count) : next_(new AtomicT<Tag>[count]) {
    for (Tag tag = 0; tag < count; ++tag) {
      next_[tag].Store(tag + 1 < count ? tag + 1 : kNullTag, std::memory_order_relaxed);
    }
    head_.Store(count > 0 ? 0 : kNullTag, std::memory_order_release);
  }
  BasicTags(const BasicTags&) = delete;
  BasicTags& operator=(const BasicTags&) = delete;

  // kNullTag where all are taken.
  [[nodiscard]] Tag TryTake() {
    std::uint64_t head = head_.Load(std::memory_order_acquire);
    while (true) {
      const Tag tag = TagOf(head);
      if (tag == kNullTag) return kNullTag;
      // May be old by now: then the head's count is another.
      const Tag next = next_[tag].Load(std::memory_order_relaxed);
      if (head_.CompareExchange(head, After(head, next), std::memory_order_acq_rel)) return tag;
    }
  }

  void Free(Tag tag) {
    std::uint64_t head = head_.Load(std::memory_order_relaxed);
    do {
      next_[tag].Store(TagOf(head), std::memory_order_relaxed);
    } while (!head_.CompareExchange(head, After(head, tag), std::memory_order_acq_rel));
  }

 private:
  static Tag TagOf(std::uint64_t head) { return static_cast<Tag>(head); }
  static std::uint64_t After(std::uint64_t head, Tag tag) { return ((head >> 32) + 1) << 32 | tag; }

  const std::unique_ptr<AtomicT<Tag>[]>
      next_;  // of each free tag; written by the thread that frees it
  alignas(64) AtomicT<std::uint64_t> head_{0};  // the first free tag; above it how often it changed
};

}  // namespace llcl
