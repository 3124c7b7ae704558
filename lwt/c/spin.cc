#include "lwt/c/spin.h"

#include <sched.h>

#include <atomic>

#include "lwt/thread.h"

namespace lwt::c {
namespace {

std::atomic_ref<int> Of(volatile int& word) { return std::atomic_ref(const_cast<int&>(word)); }

}  // namespace

bool TryLockSpin(volatile int& word) {
  return Of(word).exchange(1, std::memory_order_acquire) == 0;
}

void LockSpin(volatile int& word) {
  for (int tries = 1; !TryLockSpin(word); ++tries) {
    constexpr int kTriesBeforeYield = 64;
    while (Of(word).load(std::memory_order_relaxed) != 0 && ++tries % kTriesBeforeYield != 0) {
      Pause();
    }
    if (IsLightweightThread() && Yield()) continue;
    if (tries % kTriesBeforeYield == 0) sched_yield();
  }
}

void UnlockSpin(volatile int& word) { Of(word).store(0, std::memory_order_release); }

}  // namespace lwt::c
