// The thread that makes progress when no other thread does: it makes steps while they find
// something, then spins, lets others run, and sleeps until its doorbell rings.
//
// Threads: Wake by any; SleepUntilRung by the thread itself; Start and Stop by the owner.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "llcl/executor/counters.h"
#include "llcl/executor/doorbell.h"
#include "llcl/executor/idle_policy.h"
#include "llcl/system/clock.h"
#include "topo/atomic.h"

namespace llcl {

// A resource. `counters` outlive it.
class ProgressThread {
 public:
  ProgressThread(const IdlePolicy& idle, ExecutorCounters& counters)
      : idle_(idle), counters_(counters) {}
  ~ProgressThread() { Stop(); }
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  // The thread calls begin(); then `advance()` again and again, which makes a step and returns true
  // if it found something; and sleep(), which may call SleepUntilRung, when it has been idle for
  // long or, at once, where others_poll().
  template <typename Begin, typename Advance, typename OthersPoll, typename Wait>
  void Start(Begin begin, Advance advance, OthersPoll others_poll, Wait sleep) {
    doorbell_.Open();
    thread_ = std::thread([=, this] {
      begin();
      Serve(advance, others_poll, sleep);
    });
  }
  // Wakes the thread, or keeps it from falling asleep. Without a thread it does nothing.
  void Wake();
  // Returns when the thread has ended.
  void Stop();

  // Sleeps until Wake, until `descriptor` (or -1) is readable, or for `most_ms`.
  void SleepUntilRung(int descriptor, int most_ms);

 private:
  template <typename Advance, typename OthersPoll, typename Wait>
  void Serve(const Advance& advance, const OthersPoll& others_poll, const Wait& sleep) {
    using Next = IdleTime::Next;
    IdleTime idle(idle_, idle_.yield_us);
    std::uint64_t rounds = 0;
    while (stopping_.Load(std::memory_order_acquire) == 0) {
      counters_.rounds.Store(++rounds, std::memory_order_relaxed);
      if (advance()) {
        idle.End();
        continue;
      }
      switch (others_poll() ? Next::kSleep : idle.Add(NowNs())) {
        case Next::kSpin:
          topo::Pause();
          break;
        case Next::kYield:
          sched_yield();
          break;
        case Next::kNap:
          Nap();
          break;
        case Next::kSleep:
          sleep();
          idle.End();
          break;
      }
    }
  }

  const IdlePolicy idle_;
  ExecutorCounters& counters_;
  Doorbell doorbell_;
  topo::Atomic<int> stopping_{0};
  std::thread thread_;
};

}  // namespace llcl
