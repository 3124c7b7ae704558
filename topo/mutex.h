// A mutex whose guarded data clang's thread-safety analysis checks, with its lock and its condition
// variable.
//
//   topo::Mutex mutex_;
//   std::vector<Call*> calls_ ABSL_GUARDED_BY(mutex_);
//   void Remove(Call& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
//   ...
//   const topo::Lock lock(mutex_);
//   calls_.push_back(&call);
//
// A std::mutex carries no annotations in libstdc++, and ThreadSanitizer reports false races for an
// absl::Mutex of a library that was compiled without it. `Lock` and `UniqueLock` also hold any
// other class with these members, as topo::SpinLock and lwt::Mutex.
//
// Threads: any. Not recursive.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "topo/language.h"

namespace topo {

// A resource. Not held at first. Blocks the OS thread.
class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  [[nodiscard]] bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }

 private:
  friend class ConditionVariable;
  std::mutex mutex_;
};

// A resource: holds a mutex from its construction to its end.
template <typename M>
class ABSL_SCOPED_LOCKABLE Lock {
 public:
  explicit Lock(M& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex.Lock(); }
  ~Lock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  M& mutex_;
};

// A resource: a Lock for a function that unlocks the mutex in between.
template <typename M>
class ABSL_SCOPED_LOCKABLE UniqueLock {
 public:
  explicit UniqueLock(M& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex.Lock();
  }
  ~UniqueLock() ABSL_UNLOCK_FUNCTION() {
    if (is_held_) mutex_.Unlock();
  }
  UniqueLock(const UniqueLock&) = delete;
  UniqueLock& operator=(const UniqueLock&) = delete;

  // Precondition: held.
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    is_held_ = false;
    mutex_.Unlock();
  }
  // Precondition: not held.
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    mutex_.Lock();
    is_held_ = true;
  }

 private:
  M& mutex_;
  bool is_held_ = true;
};

// A resource. As std::condition_variable, for a Mutex: wake-ups may be spurious, so the caller
// looks at the condition in a loop.
class ConditionVariable {
 public:
  void Wait(Mutex& mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Returns after the duration at the latest.
  template <typename Rep, typename Period>
  void WaitFor(Mutex& mutex, std::chrono::duration<Rep, Period> longest)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(lock, longest);
    lock.release();
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace topo
