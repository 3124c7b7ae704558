// The OS threads outside of a pool that are in one of its functions.
//
// Threads: any.
#pragma once

#include <atomic>
#include <thread>

namespace lwt {

// A resource of a pool.
class OutsideThreads {
 public:
  // A resource: counts one more of them while it lives.
  class Counted {
   public:
    explicit Counted(std::atomic<int>& count) : count_(count) { count_.fetch_add(1); }
    Counted(Counted&& other) noexcept : count_(other.count_), counts_(other.counts_) {
      other.counts_ = false;
    }
    ~Counted() {
      if (counts_) count_.fetch_sub(1, std::memory_order_release);
    }
    Counted& operator=(const Counted&) = delete;

   private:
    std::atomic<int>& count_;
    bool counts_ = true;
  };

  // Of a call of Pool::Run, from its beginning to its return.
  Counted Calls() { return Counted(callers_); }
  // Of a thread that waits for lightweight ones, from when these can be found.
  Counted Awaits() { return Counted(awaiting_); }
  // Of a thread that makes a lightweight one ready, or drops it.
  Counted Wakes() { return Counted(wakers_); }

  int callers() const { return callers_.load(); }
  bool does_any_await() const { return awaiting_.load() > 0; }
  // A thread that was made ready may have run and ended before its waker has returned.
  void WaitForWakers() const {
    while (wakers_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> callers_{0};
  std::atomic<int> awaiting_{0};
  std::atomic<int> wakers_{0};
};

}  // namespace lwt
