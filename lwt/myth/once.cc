#include "lwt/myth/once.h"

#include <atomic>

#include "lwt/condition_variable.h"
#include "lwt/mutex.h"

namespace lwt::c {
namespace {

constexpr int kInit = 0, kInProgress = 1, kCompleted = 2;

// Of all: a `once` has no room for waiters, and few wait.
Mutex mutex;
ConditionVariable changed;

void Publish(std::atomic_ref<int> state, int value) {
  mutex.Lock();
  state.store(value, std::memory_order_release);
  mutex.Unlock();
  changed.NotifyAll();
}

}  // namespace

void Once(volatile int& word, void (*routine)()) {
  const std::atomic_ref<int> state(const_cast<int&>(word));
  if (state.load(std::memory_order_acquire) == kCompleted) return;
  mutex.Lock();
  while (state.load(std::memory_order_relaxed) == kInProgress) {
    changed.Wait(mutex, "what is done once");
  }
  const bool is_first = state.load(std::memory_order_relaxed) == kInit;
  if (is_first) state.store(kInProgress, std::memory_order_relaxed);
  mutex.Unlock();
  if (!is_first) return;
  try {
    routine();
  } catch (...) {
    Publish(state, kInit);
    throw;
  }
  Publish(state, kCompleted);
}

}  // namespace lwt::c
