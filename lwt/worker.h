// A worker, as policies and programs see it: the owner of a run queue, which pushes and pops at the
// head, with other workers as victims (victim.h: put, take and peek at the tail): the paper's five
// operations.
//
// Threads: a Worker's members only on that worker, from the thread that runs
// there or from its policy. After anything that may suspend the calling thread,
// Worker::Current() may be another.
// Fairness: the head is the newest thread. So that threads which wake each other
// do not keep all others out, one in so many that a worker takes up is the oldest
// that was put, and, more seldom, the oldest in the queue (kernel/ready_threads.h).
//
// Source: [NNT13] sections 3.3 and 3.4.
#pragma once

#include <cstdint>

#include "lwt/counters.h"
#include "lwt/ready_thread.h"

namespace lwt {

class Pool;
class Victim;
class Worker;

// A compiler may remember where a thread_local lies, and a thread that was suspended meanwhile is
// on another OS thread now. So only Worker::Current reads the variable, in a way that the compiler
// does not see through.
extern "C" {
[[gnu::tls_model("initial-exec")]] extern thread_local Worker* lwt_current_worker;
}

// A resource of a pool.
class Worker {
 public:
  // Of the calling OS thread; null outside of pools.
  static Worker* Current();
  // Current() for what only lightweight threads and policies may do: elsewhere it ends the program
  // with a sentence.
  static Worker& Here(const char* call = __builtin_FUNCTION()) {
    Worker* const worker = Current();
    if (worker == nullptr) [[unlikely]] {
      DieOfForeignCall(call);
    }
    return *worker;
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int index() const { return index_; }
  int workers() const;
  Pool& pool() const { return pool_; }

  // This worker's head, on this worker only. Push never fails, and takes a thread of this
  // pool; Pop gives the newest, empty if there is none.
  void Push(ReadyThread thread);
  ReadyThread Pop();

  // Precondition: 0 <= worker < workers().
  Victim victim(int worker) const;

  // For policies: uniform, of a generator of this worker's own.
  std::uint32_t Random(std::uint32_t below) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<std::uint32_t>(
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(random_ >> 32)) * below) >> 32);
  }
  // Another worker than this one; this one where it is alone.
  int RandomPeer();

  // How many threads wait in its queue; a moment later it may be another number. By any thread.
  std::int64_t queued() const;

  const Counters& counters() const;

 protected:
  Worker(Pool& pool, int index, std::uint64_t seed) : pool_(pool), index_(index), random_(seed) {}
  ~Worker() = default;

  [[noreturn]] static void DieOfForeignCall(const char* call);

  Pool& pool_;
  const int index_;
  std::uint64_t random_;
};

#if defined(__x86_64__)
inline Worker* Worker::Current() {
  Worker* worker;
  asm volatile(
      "mov lwt_current_worker@gottpoff(%%rip), %0\n\t"
      "mov %%fs:(%0), %0"
      : "=r"(worker));
  return worker;
}
#endif

}  // namespace lwt
