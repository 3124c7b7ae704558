#include "llcl/endpoint/waits.h"

#include <sched.h>

#include "llcl/system/clock.h"
#include "topo/atomic.h"

namespace llcl {
namespace {

// A thread that waits, and so makes progress on all devices. A resource.
class Waiting {
 public:
  explicit Waiting(Executors& executors) : executors_(executors) { executors_.StartWaiting(); }
  ~Waiting() { executors_.EndWaiting(wait); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  Wait wait = Wait::kLong;

 private:
  Executors& executors_;
};

}  // namespace

void Waits::AdvanceOrYield() {
  if (!executors_.TryAdvance()) sched_yield();
}

void Waits::Drain() {
  const Waiting waiting(executors_);
  while (executors_.in_flight() > 0 || host_.IsPending()) AdvanceOrYield();
}

bool Waits::TryDrain(std::chrono::milliseconds most) {
  const Waiting waiting(executors_);
  const std::int64_t until = NowMs() + most.count();
  while (executors_.in_flight() > 0 || host_.IsPending()) {
    if (NowMs() >= until) return false;
    AdvanceOrYield();
  }
  return true;
}

// Until done(), or until it is time to sleep, where a progress thread goes on.
template <typename Done>
void Waits::MakeProgressUntil(Done done) {
  if (done()) return;
  Waiting waiting(executors_);
  using Next = IdleTime::Next;
  IdleTime idle(idle_, idle_.yield_of_waits_us,
                {spins_from_ns_.load(std::memory_order_relaxed),
                 spins_until_ns_.load(std::memory_order_relaxed)});
  while (!done()) {
    if (executors_.TryAdvance()) {
      idle.End();
      continue;
    }
    switch (idle.Add(NowNs())) {
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
        if (has_thread_) {
          spins_until_ns_.store(0, std::memory_order_relaxed);
          return;
        }
        sched_yield();
        break;
    }
  }
  idle.End();
  waiting.wait = idle.spinning().until_ns == 0 ? Wait::kLong : Wait::kShort;
  spins_from_ns_.store(idle.spinning().from_ns, std::memory_order_relaxed);
  spins_until_ns_.store(idle.spinning().until_ns, std::memory_order_relaxed);
}

void Waits::WaitLong(const Flag& flag) {
  MakeProgressUntil([&] { return flag.done(); });
  flag.SleepUntilDone();
}

void Waits::WaitLong(const Counter& counter, std::uint64_t expected) {
  MakeProgressUntil([&] { return counter.done(expected); });
  counter.SleepUntilDone(expected);
}

}  // namespace llcl
