// The deque of a worker: the owner works at the head, thieves take at the tail.
//
// The protocol is Cilk-5's THE: indices only, no lock for the owner unless owner
// and thief meet at the last item, one lock that thieves hold in turn. Against
// Chase and Lev's it has this: popping the last item, which is what a loop that
// creates and joins does every time, costs no atomic read-modify-write.
//
// Threads: Push, Pop, PopIf, Grow and size only by the owner; Take and Peek by
//   any thread.
// Order: what the owner did before Push happens before what the thief does after
//   the Take that got the item (head_: release, acquire). Owner and thief at the
//   last item: the owner lowers head_, fences, reads tail_; the thief raises
//   tail_, fences, reads head_. At least one sees the other. A thief that sees the
//   owner goes back; an owner that sees a thief goes back and decides under the lock.
// Progress: Push, Pop of an item that no thief is at, Take and Peek are
//   wait-free; Take gives up where another thief is at the tail (kLost). Pop of the
//   last item while a thief is at it waits for that thief's few instructions.
//
// Source: Frigo, Leiserson, Randall: The implementation of the Cilk-5
// multithreaded language, PLDI 1998, section 5.
//
// tests/deque_model_test.cc runs this code under every interleaving of up to 5 preemptions (larger
// programs of fewer, down to 2; a program of one thief and one item has no bound).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "lwt/machine/atomic.h"
#include "topo/spin_lock.h"

namespace lwt {

// A value. What a deque holds: something to run, and the small hint by which
// thieves choose (hint.h).
struct Entry {
  std::uintptr_t item = 0;
  std::uint64_t hint = 0;
};

enum class Take { kTaken, kEmpty, kLost };

// A resource.
template <template <typename> class AtomicT, typename Fence>
class BasicDeque {
 public:
  // `capacity`: a power of two, at least 4; it grows.
  explicit BasicDeque(std::int64_t capacity) { Adopt(std::make_unique<Ring>(capacity)); }
  BasicDeque(const BasicDeque&) = delete;
  BasicDeque& operator=(const BasicDeque&) = delete;

  // May Push be called? If not, Grow.
  bool HasRoom() const { return Head() < mine_.limit; }

  // HasRoom is false from here on until Grow.
  void HideRoom() { mine_.limit = std::numeric_limits<std::int64_t>::min(); }

  // Makes room. False where there is no memory; nothing is lost.
  bool Grow() {
    const std::int64_t tail = tail_.Load(std::memory_order_acquire);
    const Ring& old = *rings_.back();
    // A slot stays free: a thief may have raised tail_ and not yet read its item.
    mine_.limit = tail + old.capacity() - 1;
    if (HasRoom()) return true;
    std::unique_ptr<Ring> ring(new (std::nothrow) Ring(old.capacity() * 2, std::nothrow));
    if (ring == nullptr || !ring->ok()) return false;
    // From tail - 1 on: a thief that has raised tail_ may read its item in the new ring.
    for (std::int64_t i = tail - 1; i < Head(); ++i) (*ring)[i].Write(old[i].Read());
    try {
      Adopt(std::move(ring));
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  // At the head. Precondition: HasRoom().
  void Push(const Entry& entry) {
    const std::int64_t head = Head();
    mine_.slots[head & mine_.mask].Write(entry);
    // Publishes the entry, and what the owner did before, to Take and Peek.
    head_.Store(head + 1, std::memory_order_release);
  }

  // Takes the newest entry; false if there is none.
  bool Pop(Entry& entry) {
    const std::int64_t head = Head() - 1;
    if (!Claim(head)) return false;
    entry = mine_.slots[head & mine_.mask].Read();
    return true;
  }

  // Takes the newest entry if it is `item` and no thief took it.
  bool PopIf(std::uintptr_t item) {
    const std::int64_t head = Head() - 1;
    // Where the deque is empty this reads an old entry, and Claim finds out.
    return mine_.slots[head & mine_.mask].ReadItem() == item && Claim(head);
  }

  // As PopIf, but without a lock: also false while a thief is at it.
  bool TryPopIf(std::uintptr_t item) {
    const std::int64_t head = Head() - 1;
    if (mine_.slots[head & mine_.mask].ReadItem() != item) return false;
    head_.Store(head, std::memory_order_release);  // older entries stay published
    Fence::Light();                                // with Take's Heavy
    if (tail_.Load(std::memory_order_acquire) <= head) [[likely]] {
      return true;
    }
    head_.Store(head + 1, std::memory_order_release);
    return false;
  }

  // As the owner sees it: thieves may just have taken some.
  std::int64_t size() const { return Head() - tail_.Load(std::memory_order_relaxed); }

  // How many entries a thief may hope for. Negative while a thief is at the last.
  std::int64_t SizeSeenByThief() const {
    return head_.Load(std::memory_order_relaxed) - tail_.Load(std::memory_order_relaxed);
  }

  // Takes the oldest entry.
  Take TakeOldest(Entry& entry) {
    return TakeOldestIf(entry, [](const Entry&) { return true; });
  }

  // Takes the oldest entry if `wanted(entry)`; else kLost. `wanted` runs with
  // the tail held: no other thief takes any, the owner may still pop the entry.
  template <typename Wanted>
  Take TakeOldestIf(Entry& entry, Wanted wanted) {
    if (SizeSeenByThief() <= 0) return Take::kEmpty;
    if (!tail_lock_.TryLock()) return Take::kLost;
    const std::int64_t tail = tail_.Load(std::memory_order_relaxed);
    tail_.Store(tail + 1, std::memory_order_release);
    Fence::Heavy();  // with Pop's Light
    Take result = Take::kEmpty;
    // Acquires the entry from Push, and the ring that it was pushed into.
    if (tail < head_.Load(std::memory_order_acquire)) {
      entry = (*ring_.Load(std::memory_order_acquire))[tail].Read();
      result = wanted(entry) ? Take::kTaken : Take::kLost;
    }
    // The owner reads it with acquire before it uses the slot again.
    if (result != Take::kTaken) tail_.Store(tail, std::memory_order_release);
    tail_lock_.Unlock();
    return result;
  }

  // The hint of the oldest entry, without a lock. It may be stale: of an entry
  // that has gone. It is always the whole hint of one entry. False if empty.
  bool Peek(Entry& entry) const {
    const std::int64_t tail = tail_.Load(std::memory_order_acquire);
    if (tail >= head_.Load(std::memory_order_acquire)) return false;
    entry = (*ring_.Load(std::memory_order_acquire))[tail].Read();
    // A newer ring has nothing in the places of entries that went before it was made.
    return entry.item != 0;
  }

 private:
  class Slot {
   public:
    void Write(const Entry& entry) {
      item_.Store(entry.item, std::memory_order_relaxed);
      hint_.Store(entry.hint, std::memory_order_relaxed);
    }
    Entry Read() const { return {ReadItem(), hint_.Load(std::memory_order_relaxed)}; }
    std::uintptr_t ReadItem() const { return item_.Load(std::memory_order_relaxed); }

   private:
    AtomicT<std::uintptr_t> item_{0};
    AtomicT<std::uint64_t> hint_{0};
  };

  // Slots by index modulo capacity.
  class Ring {
   public:
    explicit Ring(std::int64_t capacity)
        : mask_(capacity - 1), slots_(new Slot[static_cast<std::size_t>(capacity)]) {}
    Ring(std::int64_t capacity, std::nothrow_t)
        : mask_(capacity - 1),
          slots_(new (std::nothrow) Slot[static_cast<std::size_t>(capacity)]) {}
    bool ok() const { return slots_ != nullptr; }
    std::int64_t capacity() const { return mask_ + 1; }

    Slot* slots() const { return slots_.get(); }
    Slot& operator[](std::int64_t index) const { return slots_[index & mask_]; }

   private:
    const std::int64_t mask_;
    const std::unique_ptr<Slot[]> slots_;
  };

  void Adopt(std::unique_ptr<Ring> ring) {
    rings_.push_back(std::move(ring));
    Ring* const adopted = rings_.back().get();
    mine_.slots = adopted->slots();
    mine_.mask = adopted->capacity() - 1;
    mine_.limit = tail_.Load(std::memory_order_acquire) + adopted->capacity() - 1;
    ring_.Store(adopted, std::memory_order_release);
  }

  std::int64_t Head() const { return head_.Load(std::memory_order_relaxed); }

  // Makes the entry `head`, the newest, the owner's; false if a thief has it, or
  // there is none.
  bool Claim(std::int64_t head) {
    head_.Store(head, std::memory_order_release);  // older entries stay published
    Fence::Light();                                // with Take's Heavy
    if (tail_.Load(std::memory_order_acquire) <= head) [[likely]] {
      return true;
    }
    // A thief is at it, or there is none. The entry is visible to thieves again.
    head_.Store(head + 1, std::memory_order_release);
    tail_lock_.Lock();  // The thief that was at it has taken it or gone back.
    const bool mine = tail_.Load(std::memory_order_relaxed) <= head;
    if (mine) head_.Store(head, std::memory_order_release);
    tail_lock_.Unlock();
    return mine;
  }

  static constexpr int kLine = 64;

  struct Mine {
    std::int64_t limit = 0;  // Push may go up to here without looking at tail_
    std::int64_t mask = 0;   // of the newest ring
    Slot* slots = nullptr;   // of the newest ring
  };
  alignas(kLine) Mine mine_;                      // the owner's alone
  AtomicT<std::int64_t> head_{0};                 // written by the owner; after the newest entry
  alignas(kLine) AtomicT<std::int64_t> tail_{0};  // written under tail_lock_; the oldest entry
  topo::BasicSpinLock<AtomicT> tail_lock_;
  alignas(kLine) AtomicT<Ring*> ring_{nullptr};  // the owner's newest
  // Thieves may still read an old ring: all are kept, together as large as the newest.
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace lwt
