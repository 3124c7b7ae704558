// How many tasks a task may wait for, in one word: its children whose bodies have not ended, for
// taskwait; and all of its subtree that has not, itself included, for a barrier.
//
//   bit 0: waits for the children   bit 1: waits for the subtree
//   bits 2-32: the subtree          bits 33-63: the children
//
// A child counts in its parent's subtree until the child's own subtree is empty, so that the word
// of a task that has ended stays as long as a descendant may come back to it.
//
// Threads: AddChild, AddDescendant, Wait, IsAlone and EndBody by the task; Release by a child that
//   has ended; Interrupt by any.
// Order: an event before Release happens before what follows a Wait that the Release ends, or a
//   Wait that returns false (acquire, release).
// Progress: lock-free.
//
// tests/child_counts_model_test.cc runs this code under every interleaving, without a bound.
#pragma once

#include <atomic>
#include <cstdint>

namespace taskrt {

// A value.
template <template <typename> class AtomicT>
class BasicChildCounts {
 public:
  enum Awaited : std::uint64_t { kChildren = 1, kSubtree = 2 };
  // Of a child: its body has ended, its subtree has, or both.
  enum Released : std::uint64_t {
    kBody = std::uint64_t{1} << 33,
    kDescendants = std::uint64_t{1} << 2,
    kBoth = kBody + kDescendants
  };
  struct Found {
    bool wakes = false;     // the caller wakes the task, which waits
    bool is_empty = false;  // no task of the subtree is left: the caller destroys the task
  };

  void AddChild() { word_.FetchAdd(kBoth, std::memory_order_relaxed); }
  // A child that taskwait waits for in another way.
  void AddDescendant() { word_.FetchAdd(kDescendants, std::memory_order_relaxed); }
  // Has it no descendant?
  bool IsAlone() const { return SubtreeOf(word_.Load(std::memory_order_acquire)) == 1; }

  // The task is about to wait; false: there is nothing to wait for.
  bool Wait(Awaited awaited) {
    std::uint64_t before = word_.Load(std::memory_order_acquire);
    do {
      if (IsDone(before, awaited)) return false;
    } while (!word_.CompareExchange(before, before | awaited, std::memory_order_acq_rel));
    return true;
  }

  Found Release(Released released) {
    std::uint64_t before = word_.Load(std::memory_order_relaxed), after = 0;
    Found found;
    do {
      after = before - released;
      found = {};
      for (const Awaited awaited : {kChildren, kSubtree}) {
        if ((after & awaited) == 0 || !IsDone(after, awaited)) continue;
        after &= ~std::uint64_t{awaited};
        found.wakes = true;
      }
      found.is_empty = SubtreeOf(after) == 0;
    } while (!word_.CompareExchange(before, after, std::memory_order_acq_rel));
    return found;
  }
  // The task, if it waits so, is to look again at something else; true: the caller wakes it.
  bool Interrupt(Awaited awaited) {
    std::uint64_t before = word_.Load(std::memory_order_relaxed);
    do {
      if ((before & awaited) == 0) return false;
    } while (!word_.CompareExchange(before, before & ~std::uint64_t{awaited},
                                    std::memory_order_acq_rel));
    return true;
  }
  // The task's own body has ended, and it has descendants; true: they have all ended meanwhile.
  bool EndBody() { return Release(kDescendants).is_empty; }

 private:
  static std::uint64_t SubtreeOf(std::uint64_t word) {
    return (word >> 2) % (std::uint64_t{1} << 31);
  }
  static bool IsDone(std::uint64_t word, Awaited awaited) {
    return awaited == kChildren ? word < kBody : SubtreeOf(word) == 1;
  }

  AtomicT<std::uint64_t> word_{kDescendants};  // itself
};

}  // namespace taskrt
