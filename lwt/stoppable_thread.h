// A thread that can be asked to stop, as std::jthread.
//
//   lwt::StoppableThread reader = lwt::Spawn([&](std::stop_token stop) {
//     while (std::optional<Block> block = blocks.Receive(stop)) Use(*block);
//   });
//   // Here, or where an exception leaves this scope: the thread is asked to stop, and joined.
//
// A wait with a std::stop_token returns when stop is requested: ConditionVariable::Wait,
// Event::Wait, Channel::Send and Receive, SleepFor and SleepUntil. A thread that does not look at
// its token is not stopped.
//
// Threads: a handle is used by one thread at a time, of the pool that its thread belongs to. A
//   std::stop_source and a std::stop_token: by any threads, inside and outside of pools. The
//   callback of a std::stop_callback of yours neither waits, yields nor spawns: the standard
//   library knows by the OS thread who is in a callback, and a lightweight thread that does so
//   there may go on in another.
// Order: what came before the request happens before what follows the return of a wait that it
//   ended, and a stop_requested() that is true.
// Progress: a request runs the callbacks of all threads that wait with a token of it, one after the
//   other, on the requesting thread. None of them takes a lock of yours: request with or without.
#pragma once

#include <concepts>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "lwt/spawn.h"
#include "lwt/thread.h"

namespace lwt {

// A resource: a thread that will be asked to stop, and joined. Empty if default-made or moved from.
class [[nodiscard]] StoppableThread : private Thread {
 public:
  StoppableThread() : stop_(std::nostopstate) {}
  // `thread` has a token of `stop`.
  StoppableThread(Thread thread, std::stop_source stop)
      : Thread(std::move(thread)), stop_(std::move(stop)) {}
  StoppableThread(StoppableThread&& other) noexcept = default;
  // The thread that this handle had is asked to stop, and joined.
  StoppableThread& operator=(StoppableThread&& other) {
    StoppableThread before(std::move(*this));
    Thread::operator=(std::move(other));
    stop_ = std::move(other.stop_);
    return *this;
  }
  // Requests stop and joins. An exception of the thread is lost then: Join() throws it.
  ~StoppableThread() {
    if (joinable()) stop_.request_stop();
  }

  // As of Thread. Neither Join nor Detach requests stop.
  using Thread::Detach;
  using Thread::ended;
  using Thread::Join;
  using Thread::joinable;

  // False: stop was requested before, or this handle was made empty or moved from. Does not wait
  // for the thread.
  bool RequestStop() { return stop_.request_stop(); }

  // To request stop by others, or to give to others the token that the thread has.
  std::stop_source stop_source() const { return stop_; }

 private:
  std::stop_source stop_;
};

// Starts a thread that runs `f(token)` (moved or copied into the thread), now; the token's stop is
// requested by the handle. Throws std::bad_alloc where there is no memory for a stack or for what
// the token shares: the body was not run. An `f` that can also be called without a token is: by the
// other Spawn.
template <typename F>
requires(!std::invocable<std::decay_t<F>> &&
         std::invocable<std::decay_t<F>, std::stop_token>) StoppableThread
    Spawn(F&& f, const SpawnOptions& options = {}) {
  std::stop_source stop;
  Thread thread =
      Spawn([f = std::decay_t<F>(std::forward<F>(f)),
             token = stop.get_token()]() mutable { std::invoke(std::move(f), std::move(token)); },
            options);
  return StoppableThread(std::move(thread), std::move(stop));
}

}  // namespace lwt
