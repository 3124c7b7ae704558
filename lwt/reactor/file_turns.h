// Whose turn it is to read or write an ordinary file at its current position.
//
// read(2) and write(2) take the file's position and move it in one step. Around an operation of
// io_uring's that is three: so those of a pool's threads on one descriptor take turns, in the order
// in which they came.
//
// Threads: any of a pool's lightweight threads.
// Order: what came before Leave happens before what follows the next Enter of that descriptor.
// Progress: a spin lock for the steps of a list of those that wait for descriptors of one bucket.
//
// tests/file_turns_model_test.cc runs this code under every interleaving of up to 5 preemptions
// (larger programs of fewer, down to 2; one program has no bound).
#pragma once

#include <array>
#include <cstddef>

#include "absl/base/thread_annotations.h"
#include "lwt/machine/atomic.h"
#include "lwt/timer.h"
#include "lwt/wait/wait_list.h"
#include "lwt/waiter.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"

namespace lwt {

// A resource of a pool.
template <template <typename> class AtomicT, typename Waiter>
class BasicFileTurns {
 public:
  static constexpr std::size_t kBuckets = 64;

  // On the stack of the thread that has the turn or waits for it.
  struct Turn {
    int fd = -1;
    bool is_given = false;
    Waiter waiter;
    // For the list that it is in.
    Turn* newer = nullptr;
    Turn* older = nullptr;
    bool queued = false;
  };

  // False: the deadline came first.
  [[nodiscard]] bool Enter(Turn& turn, Deadline deadline) {
    Bucket& bucket = BucketOf(turn.fd);
    {
      const topo::Lock lock(bucket.lock);
      turn.is_given = bucket.OldestOf(turn.fd) == nullptr;
      bucket.turns.Add(turn);
      if (turn.is_given) return true;
    }
    if (deadline == Deadline::max()) {
      turn.waiter.Wait("I/O", WokenBy::kSystem);
      return true;
    }
    return !WakeOrDeadline(turn.waiter, deadline, "I/O", [&] {
      const topo::Lock lock(bucket.lock);
      return !turn.is_given && bucket.turns.Remove(turn);
    });
  }

  void Leave(Turn& turn) {
    Bucket& bucket = BucketOf(turn.fd);
    Turn* next = nullptr;
    {
      const topo::Lock lock(bucket.lock);
      bucket.turns.Remove(turn);
      next = bucket.OldestOf(turn.fd);
      if (next != nullptr) next->is_given = true;
    }
    if (next != nullptr) next->waiter.Wake();
  }

 private:
  struct Bucket {
    // The thread that has the turn, or is to have it next.
    Turn* OldestOf(int fd) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock) {
      Turn* turn = turns.oldest();
      while (turn != nullptr && turn->fd != fd) turn = turn->newer;
      return turn;
    }

    topo::BasicSpinLock<AtomicT> lock;
    WaitList<Turn> turns ABSL_GUARDED_BY(lock);
  };

  Bucket& BucketOf(int fd) { return buckets_[static_cast<unsigned>(fd) % kBuckets]; }

  std::array<Bucket, kBuckets> buckets_;
};

using FileTurns = BasicFileTurns<Atomic, Waiter>;

}  // namespace lwt
