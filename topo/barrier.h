// Barriers for threads that a mapping placed: all, one node's, hierarchical.
//
// A thread that arrives last opens the barrier; the others spin a little and
// then sleep. A barrier may be used again at once, any number of times.
//
// Threads: exactly `threads` threads call ArriveAndWait each round. Destroy
//   when none is inside.
// Order: what a thread X did before ArriveAndWait in a round happens before
//   what any thread Y does after its ArriveAndWait of that round. The chain is:
//   X's fetch_add on `arrived_` (release) is read by the last arriver's
//   fetch_add (acquire, through the read-modify-write chain), whose store to
//   `phase_` (release) is read by Y (acquire).
// Progress: blocking. Between arrival of the last thread and wake-up of the
//   others there is one store, or one futex call if any sleeps.
//
// The protocol is a template over its atomics so that tests/barrier_model_test.cc
// runs this very code (tools/model): two threads under every interleaving; three in several rounds,
// and the barrier of nodes, under every interleaving of up to 2 preemptions.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "topo/mapping.h"
#include "topo/spinning_atomic.h"

namespace topo {

// A resource. See the top of the file.
template <template <typename> class Atomic>
class BasicBarrier {
 public:
  explicit BasicBarrier(int threads) : threads_(threads), arrived_(0), phase_(0) {}
  BasicBarrier(const BasicBarrier&) = delete;
  BasicBarrier& operator=(const BasicBarrier&) = delete;

  void ArriveAndWait() {
    ArriveAndWait([] {});
  }

  // The last thread to arrive calls `last` before any thread leaves.
  template <typename Last>
  void ArriveAndWait(Last last) {
    // Cannot change before this thread has arrived.
    const unsigned phase = phase_.Load(std::memory_order_relaxed);
    if (arrived_.FetchAdd(1, std::memory_order_acq_rel) + 1 < threads_) {
      phase_.WaitWhile(phase);
      return;
    }
    last();
    // Before the phase: a thread that leaves may arrive for the next round at once.
    arrived_.Store(0, std::memory_order_relaxed);
    phase_.Store(phase + 1, std::memory_order_release);
    phase_.WakeAll();
  }

 private:
  static constexpr std::size_t kLine = 64;
  const int threads_;
  alignas(kLine) Atomic<int> arrived_;  // written by every thread, once a round
  alignas(
      kLine) Atomic<unsigned> phase_;  // wraps; written by the last arriver; spun on by the others
};

using Barrier = BasicBarrier<SpinningAtomic>;

// A resource. The barriers of one mapping's threads. The calling thread passes its
// slot.
template <template <typename> class Atomic>
class BasicTeamBarrier {
 public:
  explicit BasicTeamBarrier(const Mapping& mapping)
      : all_(mapping.size()), nodes_(static_cast<int>(mapping.nodes().size())) {
    for (int i = 0; i < static_cast<int>(mapping.nodes().size()); ++i) {
      node_.push_back(std::make_unique<BasicBarrier<Atomic>>(mapping.threads_on(i)));
    }
    for (const Slot& slot : mapping.slots()) index_.push_back(mapping.node_index(slot));
  }

  // All threads, one counter: the fastest where they are few or on one node.
  void All() { all_.ArriveAndWait(); }

  // The threads of the caller's NUMA node.
  void Node(const Slot& slot) { node_[index_[slot.thread]]->ArriveAndWait(); }

  // All threads, node by node: one thread a node crosses between nodes, and a
  // waiting thread spins on a cache line of its own node.
  void Hierarchical(const Slot& slot) {
    node_[index_[slot.thread]]->ArriveAndWait([this] { nodes_.ArriveAndWait(); });
  }

 private:
  BasicBarrier<Atomic> all_;
  BasicBarrier<Atomic> nodes_;  // one participant a node
  std::vector<std::unique_ptr<BasicBarrier<Atomic>>> node_;
  std::vector<int> index_;  // thread -> position in node_
};

using TeamBarrier = BasicTeamBarrier<SpinningAtomic>;

}  // namespace topo
