// Threads that wait for each other for ever, one for each kind of wait.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {

// A resource. Make, and Join, on a lightweight thread; Join never returns.
class StuckThreads {
 public:
  StuckThreads() {
    // The holder does not wait for a mutex: that would be a cycle (owner.h).
    Add("a holder's", [this] {
      mutex_.Lock();
      is_held_.Set();
      event_.Wait();
    });
    is_held_.Wait();
    Add("a mutex's", [this] { mutex_.Lock(); });
    Add("a condition variable's", [this] {
      const std::lock_guard lock(other_mutex_);
      changed_.Wait(other_mutex_);
    });
    Add("a barrier's", [this] { barrier_.ArriveAndWait(); });
    Add("a latch's", [this] { latch_.Wait(); });
    Add("an event's", [this] { event_.Wait(); });
    Add("a cell's", [this] { (void)cell_.ReadAndEmpty(); });
    Add("a channel's", [this] { (void)channel_.Receive(); });
  }
  void Join() { threads_.clear(); }

 private:
  template <typename F>
  void Add(const char* name, F f) {
    threads_.push_back(Spawn(f, {.name = name}));
  }

  Mutex mutex_, other_mutex_;
  ConditionVariable changed_;
  Barrier barrier_{2};
  Latch latch_{1};
  Event is_held_, event_;
  FullEmptyCell<int> cell_;
  Channel<int> channel_{1};
  std::vector<Thread> threads_;
};

// What a report says of them.
inline constexpr const char* kStuckThreads[] = {
    "a mutex's (depth 1) waits for a mutex\n",
    "a condition variable's (depth 1) waits for a condition variable\n",
    "a barrier's (depth 1) waits for a barrier\n",
    "a latch's (depth 1) waits for a latch\n",
    "an event's (depth 1) waits for an event\n",
    "a cell's (depth 1) waits for a full cell\n",
    "a channel's (depth 1) waits for an item of a channel\n",
};

}  // namespace lwt
