#include "lwt/c/once.h"

#include <atomic>

#include "lwt/condition_variable.h"
#include "lwt/mutex.h"

namespace lwt::c {
namespace {

constexpr int kInit = 0, kInProgress = 1, kCompleted = 2;

// Of all: a `once` has no room for waiters, and few wait. Never destroyed: threads that are left
// when main returns end with the process, after all destructors.
struct Waiting {
  Mutex mutex;
  ConditionVariable changed;
};
Waiting& All() {
  static Waiting* const all = new Waiting;
  return *all;
}

void Publish(std::atomic_ref<int> state, int value) {
  Waiting& all = All();
  all.mutex.Lock();
  state.store(value, std::memory_order_release);
  all.mutex.Unlock();
  all.changed.NotifyAll();
}

}  // namespace

void Once(volatile int& word, void (*routine)()) {
  const std::atomic_ref<int> state(const_cast<int&>(word));
  if (state.load(std::memory_order_acquire) == kCompleted) return;
  Waiting& all = All();
  all.mutex.Lock();
  while (state.load(std::memory_order_relaxed) == kInProgress) {
    all.changed.Wait(all.mutex, "what is done once");
  }
  const bool is_first = state.load(std::memory_order_relaxed) == kInit;
  if (is_first) state.store(kInProgress, std::memory_order_relaxed);
  all.mutex.Unlock();
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
