// Threads that wait: each makes progress on all devices, lets other threads run, and sleeps where
// it takes long.
//
// Threads: any, at the same time, but no handler and no completion.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>

#include "llcl/completion.h"
#include "llcl/conduit/executors.h"
#include "llcl/executor/executor.h"
#include "llcl/executor/host.h"

namespace llcl {

// A resource. `executors` and `host` outlive it.
class Waits {
 public:
  // `options`: of the executors.
  Waits(Executors& executors, const Host& host, const ExecutorOptions& options)
      : executors_(executors), host_(host), idle_(options.idle), has_thread_(options.has_thread) {}

  // Returns once the flag is raised.
  Outcome Wait(const Flag& flag) {
    if (!flag.done()) WaitLong(flag);
    return flag.outcome();
  }
  void Wait(const Counter& counter, std::uint64_t expected) {
    if (!counter.done(expected)) WaitLong(counter, expected);
  }

  // Calls `request` until it is not refused for want of room.
  template <std::invocable Request>
  Posted KeepTrying(Request request) {
    while (true) {
      const Posted posted = request();
      if (!IsForNow(posted)) return posted;
      AdvanceOrYield();
    }
  }

  // Returns when nothing is in flight; also waits for operations that other threads post meanwhile.
  void Drain();
  // Drain for so long at most. False: something is still in flight.
  [[nodiscard]] bool TryDrain(std::chrono::milliseconds most);

 private:
  void WaitLong(const Flag& flag);
  void WaitLong(const Counter& counter, std::uint64_t expected);
  void AdvanceOrYield();
  template <typename Done>
  void MakeProgressUntil(Done done);

  Executors& executors_;
  const Host& host_;
  const IdlePolicy idle_;
  const bool has_thread_;
  std::atomic<std::int64_t> spins_from_ns_{0}, spins_until_ns_{0};  // Spinning, of the last wait
};

}  // namespace llcl
