// The counts of an executor's operations, and the gate that Close shuts.
//
//   TryAccept --(true)--> in flight --End--> ended
//                         in flight --GiveUp--> overdue --Release--> (its memory is free)
//
// Threads: any, all members.
// Order: TryAccept counts before it looks at the gate, and Close shuts the gate before it looks at
//   the counts (all seq_cst): so a thread that is past the gate is counted, and once count() is 0
//   after Close no thread is in a request and none is coming. What came before End happens before
//   what follows the count() without that operation (ended_: release, acquire).
//
// tests/in_flight_model_test.cc runs this code under every interleaving, without a bound.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "topo/atomic.h"

namespace llcl {

// A resource.
template <template <typename> class AtomicT>
class BasicInFlight {
 public:
  // Counts an operation that is about to begin. False: the gate is shut, and it was not counted.
  [[nodiscard]] bool TryAccept() {
    accepted_.FetchAdd(1, std::memory_order_seq_cst);
    if (closing_.Load(std::memory_order_seq_cst) == 0) return true;
    End();
    return false;
  }
  // It has ended, and its completion has returned; or it was refused after all.
  void End() { ended_.FetchAdd(1, std::memory_order_release); }

  // Its completion is called though the device may still use its memory.
  void GiveUp() { overdue_.FetchAdd(1, std::memory_order_release); }
  // The device no longer uses the memory of an operation that was given up.
  void Release() { overdue_.FetchAdd(-1, std::memory_order_release); }

  // Shuts the gate: from here on TryAccept returns false.
  void Close() { closing_.Store(1, std::memory_order_seq_cst); }

  // Operations that were accepted and have not ended.
  std::uint64_t count() const {
    const std::uint64_t ended = ended_.Load(std::memory_order_acquire);
    return accepted_.Load(std::memory_order_seq_cst) - ended;
  }
  std::uint64_t overdue() const {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(overdue_.Load(std::memory_order_acquire), 0));
  }

 private:
  AtomicT<int> closing_{0};
  // By requesting threads, and by threads that make progress.
  alignas(64) AtomicT<std::uint64_t> accepted_{0};
  alignas(64) AtomicT<std::uint64_t> ended_{0};
  AtomicT<std::int64_t> overdue_{0};  // below 0 for a moment, where threads race
};

using InFlight = BasicInFlight<topo::Atomic>;

}  // namespace llcl
