// The gate in front of the program's handlers of messages: no handler runs once Close has returned,
// and a message that comes later is dropped.
//
// Threads: any, all members; Close by one, which is in no handler.
// Order: TryEnter counts before it looks at the gate, and Close shuts the gate before it looks at
//   the count (all seq_cst): so a thread that is past the gate is counted. What came before Leave
//   happens before what follows Close (count_: release, acquire).
// Progress: Close waits for the handlers that have begun.
//
// tests/handler_gate_model_test.cc runs this code under every interleaving of two threads, and
// those of three with up to 3 preemptions.
#pragma once

#include <atomic>

#include "topo/atomic.h"

namespace dsm {

// A resource.
template <template <typename> class AtomicT>
class BasicHandlerGate {
 public:
  // True: the handler may run, and Leave is called behind it.
  [[nodiscard]] bool TryEnter() {
    count_.FetchAdd(1, std::memory_order_seq_cst);
    if (is_closed_.Load(std::memory_order_seq_cst) == 0) return true;
    Leave();
    return false;
  }
  void Leave() {
    count_.FetchAdd(-1, std::memory_order_release);
    count_.WakeAll();
  }

  void Close() {
    is_closed_.Store(1, std::memory_order_seq_cst);
    for (int count = Count(); count != 0; count = Count()) count_.WaitWhile(count);
  }

 private:
  int Count() const { return count_.Load(std::memory_order_seq_cst); }

  AtomicT<int> is_closed_{0};
  AtomicT<int> count_{0};  // of threads that are past the gate, or at it
};

using HandlerGate = BasicHandlerGate<topo::Atomic>;

}  // namespace dsm
