// The command ring: many threads hand commands to the thread that executes them.
//
// As in the paper, a bounded ring with one flag an element that makes a producer's
// writes visible, producers that take their place by a compare-and-swap on the
// tail, and counters of 64 bits that are never reduced, so that no place is taken
// twice (ABA). The tail's lowest bit is set while the consumer sleeps: a producer that
// takes a place learns by the same instruction whether to wake the consumer, and only
// the first after the consumer fell asleep has to.
//
// Threads: TryPush by any; the rest by the consumer only.
// Order: what came before TryPush happens before what follows the TryPop of that
//   command (visible: release, acquire); what the consumer did with a command
//   before the next TryPop happens before the TryPush that uses its place again
//   (head_: release, acquire).
// Progress: TryPush never waits; it fails where the ring is full. A producer that
//   is stopped between taking its place and filling it holds up the commands behind
//   it, as TryPop returns them in the order of their places; not other producers.
//
// Source: [ET17] section 3.3, listings 2 to 4. tests/ring_model_test.cc runs this
// code under every interleaving of 2 to 4 preemptions at most.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace llcl {

enum class Push {
  kFull,        // not pushed
  kPushed,      // the consumer is awake
  kMustWakeIt,  // pushed; the consumer sleeps, or is about to: wake it
};

// A resource. `Command` is a value that can be copied.
template <template <typename> class AtomicT, typename Command>
class BasicRing {
 public:
  // `capacity`: how many commands it holds; a power of two.
  explicit BasicRing(std::size_t capacity)
      : mask_(capacity - 1), elements_(new Element[capacity]) {}
  BasicRing(const BasicRing&) = delete;
  BasicRing& operator=(const BasicRing&) = delete;

  std::size_t capacity() const { return mask_ + 1; }

  // Precondition: called by no signal handler that interrupts another TryPush of
  // this thread whose place the consumer waits for (it would never be filled).
  [[nodiscard]] Push TryPush(const Command& command) {
    std::uint64_t tail = tail_.Load(std::memory_order_relaxed);
    do {
      // A tail that is older than the head gives a negative number: try again.
      const auto used =
          static_cast<std::int64_t>((tail >> 1) - head_.Load(std::memory_order_acquire));
      if (used > static_cast<std::int64_t>(mask_)) return Push::kFull;
    } while (!tail_.CompareExchange(tail, ((tail >> 1) + 1) << 1, std::memory_order_acq_rel));
    Element& element = elements_[(tail >> 1) & mask_];
    element.command = command;
    element.visible.Store(1, std::memory_order_release);
    element.visible.WakeAll();
    return (tail & kSleeps) != 0 ? Push::kMustWakeIt : Push::kPushed;
  }

  // The oldest command; false if there is none, or the oldest is not filled yet.
  [[nodiscard]] bool TryPop(Command& command) {
    const std::uint64_t head = head_.Load(std::memory_order_relaxed);
    Element& element = elements_[head & mask_];
    if (element.visible.Load(std::memory_order_acquire) == 0) return false;
    command = element.command;
    element.visible.Store(0, std::memory_order_relaxed);
    head_.Store(head + 1, std::memory_order_release);
    return true;
  }

  // Returns once the oldest command is filled. Precondition: not empty().
  void WaitUntilFilled() const {
    elements_[head_.Load(std::memory_order_relaxed) & mask_].visible.WaitWhile(0);
  }

  // Is there neither a command nor one that is being pushed?
  bool empty() const {
    return tail_.Load(std::memory_order_acquire) >> 1 == head_.Load(std::memory_order_relaxed);
  }

  // Before the consumer sleeps. True: the ring is empty, and the next push will return
  // kMustWakeIt. False: there is something to do.
  [[nodiscard]] bool StartSleep() {
    std::uint64_t tail = head_.Load(std::memory_order_relaxed) << 1;
    return tail_.CompareExchange(tail, tail | kSleeps, std::memory_order_acq_rel);
  }
  // After StartSleep, whatever woke the consumer. False: a push has returned
  // kMustWakeIt, and its wake has come or is under way.
  bool EndSleep() {
    std::uint64_t tail = head_.Load(std::memory_order_relaxed) << 1 | kSleeps;
    return tail_.CompareExchange(tail, tail & ~kSleeps, std::memory_order_acq_rel);
  }

 private:
  static constexpr std::uint64_t kSleeps = 1;
  static constexpr int kLine = 64;

  struct alignas(kLine) Element {
    AtomicT<int> visible{0};
    Command command{};
  };

  const std::uint64_t mask_;
  const std::unique_ptr<Element[]> elements_;
  alignas(kLine) AtomicT<std::uint64_t> tail_{0};  // twice the places taken, plus kSleeps
  alignas(kLine) AtomicT<std::uint64_t> head_{0};  // places emptied; written by the consumer
};

}  // namespace llcl
