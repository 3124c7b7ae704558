// How a thread that has nothing to do waits: it spins, lets others run, then sleeps in the kernel.
#pragma once

#include <cstdint>

namespace llcl {

// A thread in Endpoint::Wait sleeps later than the progress thread: it would be woken by the
// progress thread, which has to be woken first. A value.
struct IdlePolicy {
  int spins = 50;
  int yields = 200;
  int yields_of_waits = 10'000;  // some milliseconds
};

// The rounds in a row in which a thread found nothing to do. A value.
class IdleRounds {
 public:
  enum class Next : std::uint8_t { kSpin, kYield, kSleep };

  IdleRounds(int spins, int yields) : spins_(spins), yields_(yields) {}

  // It found nothing again: how it waits for the next round.
  Next Add() {
    if (rounds_ >= spins_ + yields_) return Next::kSleep;
    return rounds_++ < spins_ ? Next::kSpin : Next::kYield;
  }
  // It found something, or slept.
  void Reset() { rounds_ = 0; }

 private:
  const int spins_, yields_;
  int rounds_ = 0;
};

}  // namespace llcl
