// Deadlines, the earliest on top: a pairing heap of nodes that lie elsewhere.
//
// Add, Meld: constant. Remove: logarithmic in the long run. Allocates nothing.
//
// Threads: one at a time. Source: Fredman, Sedgewick, Sleator, Tarjan: The
// pairing heap, Algorithmica 1986.
#pragma once

#include <cstdint>
#include <utility>

namespace lwt {

// A value inside of what has a deadline. Written by the heap that it is in.
struct TimerLink {
  std::int64_t deadline_ns = 0;
  bool in_heap = false;
  TimerLink* child = nullptr;   // the first of those below
  TimerLink* next = nullptr;    // its sibling
  TimerLink* before = nullptr;  // the sibling it is next of, or, of a first child, the parent
};

// A value.
class TimerHeap {
 public:
  // Null if empty.
  TimerLink* earliest() const { return root_; }

  void Add(TimerLink& link) {
    link.child = link.next = link.before = nullptr;
    link.in_heap = true;
    root_ = Meld(root_, &link);
  }

  // Precondition: it is in this heap.
  void Remove(TimerLink& link) {
    TimerLink* const below = MeldAll(link.child);
    if (&link == root_) {
      root_ = below;
    } else {
      (link.before->child == &link ? link.before->child : link.before->next) = link.next;
      if (link.next != nullptr) link.next->before = link.before;
      root_ = Meld(root_, below);
    }
    link.in_heap = false;
  }

 private:
  // Of two roots the later goes below the earlier.
  static TimerLink* Meld(TimerLink* a, TimerLink* b) {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if (b->deadline_ns < a->deadline_ns) std::swap(a, b);
    b->next = a->child;
    if (b->next != nullptr) b->next->before = b;
    b->before = a;
    a->child = b;
    return a;
  }

  // Siblings in pairs, then the pairs from the last to the first.
  static TimerLink* MeldAll(TimerLink* first) {
    TimerLink* pairs = nullptr;  // by `next`, the last in front
    while (first != nullptr) {
      TimerLink* const a = first;
      TimerLink* const b = a->next;
      first = b == nullptr ? nullptr : b->next;
      a->next = a->before = nullptr;
      if (b != nullptr) b->next = b->before = nullptr;
      TimerLink* const pair = Meld(a, b);
      pair->next = pairs;
      pairs = pair;
    }
    TimerLink* root = nullptr;
    while (pairs != nullptr) {
      TimerLink* const pair = pairs;
      pairs = pair->next;
      pair->next = nullptr;
      root = Meld(root, pair);
    }
    return root;
  }

  TimerLink* root_ = nullptr;
};

}  // namespace lwt
