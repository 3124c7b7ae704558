// An OS thread of lwt's own, that its owner joins.
//
// A child of fork(2) has the handle and not the thread, and the system gives the thread's id to
// one that the child starts: to join or detach the handle there meets that other thread.
//
// Threads: one at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <thread>
#include <utility>

#include "lwt/machine/process.h"

namespace lwt {

// A resource. Joined before it is destroyed, in the process that started it.
class JoinedThread {
 public:
  JoinedThread() = default;
  // Throws what std::thread does.
  template <std::invocable F>
  explicit JoinedThread(F f) : thread_(std::move(f)) {}
  JoinedThread(JoinedThread&&) = default;
  JoinedThread& operator=(JoinedThread&&) = default;
  ~JoinedThread() {
    if (was_started() && !is_here()) LeaveToParent();
  }

  // Also true in a child of the process that started it.
  bool was_started() const { return thread_.joinable(); }
  bool is_here() const { return was_started() && generation_ == ProcessGeneration(); }
  // Precondition: is_here().
  void Join() { thread_.join(); }

 private:
  // std::thread's destructor ends the program where the thread was not joined: it never runs.
  void LeaveToParent() {
    alignas(std::thread) std::byte never_destroyed[sizeof(std::thread)];
    new (never_destroyed) std::thread(std::move(thread_));
  }

  int generation_ = ProcessGeneration();
  std::thread thread_;
};

}  // namespace lwt
