// Threads of the interleaving explorer as those of C programs (lwt/c/thread_mark.h).
#pragma once

#include <cstdint>

#include "lwt/tests/model_threads.h"

namespace lwt {

// Of these threads ThreadSanitizer knows nothing.
struct NoSanitizer {
  void OnLock() {}
  void OnTryLock() {}
  void OnUnlock() {}
};

// For locks over `AtomicT`. Deadlocks are the explorer's to find.
template <template <typename> class AtomicT>
struct ModelMarks {
  using Waiter = BasicWaiter<AtomicT, ImpatientThreads>;
  using Sanitizer = NoSanitizer;
  class Owner {
   public:
    AtomicT<std::uintptr_t>& word() { return word_; }
    void BeginWait() {}
    void EndWait() {}

   private:
    AtomicT<std::uintptr_t> word_{0};
  };
  // Of the check at the end, too, which is no thread.
  static std::uintptr_t Mark() {
    return static_cast<std::uintptr_t>(model::CurrentThread() + 2) * 8;
  }
};

}  // namespace lwt
