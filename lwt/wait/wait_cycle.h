// Whether a thread waits for itself, through what it and others wait for.
//
// Each thread waits for one other at the most: for the owner of the mutex that it
// wants, or for the end of a thread or of a forked call. So the threads that it waits for, directly
// or not, are a chain, and a deadlock is a chain that comes back to where it began. The thread that
// begins to wait last finds it: by then all the others are there.
//
// Pure. tests/owner_model_test.cc runs it with mutex.h's code under every
// interleaving.
#pragma once

#include <cstddef>
#include <span>

namespace lwt {

// Follows `waits_for(thread)`, null where it waits for no thread or an unknown one,
// from `self` on. Returns how many threads the cycle has that `self` is in, 0 if it is
// in none that fits in `cycle`. `cycle`: the thread that self waits for, the thread
// that this one waits for, ..., self.
//
// Each answer may be old by the time of the next. A cycle that a second round of
// questions confirms existed at one moment, if an answer that names a thread shows
// what that thread did before it began to wait (acquire), and each thread of the
// cycle goes on only after the one that it waits for.
template <typename Thread, typename WaitsFor>
std::size_t FindCycle(Thread& self, std::span<Thread*> cycle, WaitsFor waits_for) {
  std::size_t length = 0;
  Thread* thread = &self;
  do {
    thread = length < cycle.size() ? waits_for(*thread) : nullptr;
    if (thread == nullptr) return 0;
    cycle[length++] = thread;
  } while (thread != &self);
  for (Thread* const seen : cycle.first(length)) {
    thread = waits_for(*thread);
    if (thread != seen) return 0;
  }
  return length;
}

}  // namespace lwt
