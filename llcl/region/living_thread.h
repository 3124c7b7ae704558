// A small number for each thread that lives, for a place of its own in shared memory. Numbers of
// threads that have ended are given again.
//
// Threads: any. Signals: any handler may ask; nothing is locked or allocated.
#pragma once

namespace llcl {

inline constexpr int kMostLivingThreads = 255;

// This thread's number, or 0: it has asked for none yet, or found none.
extern constinit thread_local int living_thread_number;

// 1 to kMostLivingThreads; 0 where so many others live.
int TakeLivingThreadNumber();
inline int LivingThreadNumber() {
  const int number = living_thread_number;
  return number != 0 ? number : TakeLivingThreadNumber();
}

}  // namespace llcl
