// Attempts that were refused because something was full, repeated later. (What the network failed
// to do is sent again by the device: ofi/device.cc.)
//
// Threads: any, all members.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace llcl {

// A resource.
class Retries {
 public:
  // `attempt` is called until it returns true, by Run.
  void Add(std::function<bool()> attempt) {
    const topo::Lock lock(mutex_);
    attempts_.push_back(std::move(attempt));
    count_.fetch_add(1, std::memory_order_release);
  }

  // Makes the attempts, the oldest first, until one fails. True: one succeeded.
  bool Run() {
    bool did = false;
    for (std::size_t most = count_.load(std::memory_order_acquire); most > 0; --most) {
      std::function<bool()> attempt;
      {
        const topo::Lock lock(mutex_);
        if (attempts_.empty()) break;  // Other threads run them.
        attempt = std::move(attempts_.front());
        attempts_.pop_front();
      }
      // Without the lock: the attempt may add another.
      if (!attempt()) {
        const topo::Lock lock(mutex_);
        attempts_.push_front(std::move(attempt));
        break;
      }
      did = true;
      // Last: a thread that sees none knows that all were done.
      count_.fetch_sub(1, std::memory_order_release);
    }
    return did;
  }

  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }

 private:
  topo::Mutex mutex_;
  std::deque<std::function<bool()>> attempts_ ABSL_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_{0};  // those in it, and those that run now
};

}  // namespace llcl
