// An OS thread of the program's own as a worker of a pool.
//
//   auto pool = lwt::Pool::Create({.workers = 2, .has_guests = true});
//   lwt::Guest guest(**pool, 0);            // this OS thread is worker 0 from here on
//   guest.Post([&] {
//     Compute();
//     lwt::Guest::Unpark(**pool, 0);
//   });
//   guest.Park();                           // runs the pool's threads until Unpark
//
// A team of OS threads that each have code of their own, as the members of a parallel region, runs
// tasks so while its members wait: a member posts tasks, parks until they have ended, and its own
// code never moves to another OS thread. Between two calls of Park its worker runs nothing; workers
// that are parked may steal from its queue.
//
// Threads: a Guest's members by the OS thread that made it, which is outside of Park then; Unpark
// by
//   any. A worker has one guest at a time; an OS thread may be a guest of several pools, and makes
//   and destroys its guests as a stack.
// Order: all that the caller did before Unpark happens before the code behind the Park that returns
// by
//   it.
// Progress: Unpark never blocks.
#pragma once

#include <span>
#include <utility>

#include "lwt/kernel/new_thread.h"
#include "lwt/pool.h"
#include "lwt/spawn.h"
#include "lwt/worker.h"

namespace lwt {

// A resource: the role of a worker. The pool outlives it.
class Guest {
 public:
  // `pool`: with guests (PoolOptions). Precondition: 0 <= worker < pool.workers(), and it has no
  // guest.
  Guest(Pool& pool, int worker);
  ~Guest();
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  // Queues a thread at this worker's head: as lwt::Post.
  template <typename F>
  requires std::invocable<std::decay_t<F>>
  void Post(F&& f, const SpawnOptions& options = {}) {
    PostThread(scheduler_, std::forward<F>(f), options.name);
  }

  // Runs threads of the pool, its own and stolen ones, and sleeps where there are none, until
  // Unpark was called for this worker since the last Park returned; seldom it returns earlier, so
  // that callers look for their reason. A thread that runs goes on until it waits or ends.
  void Park();
  // Runs a thread of the pool, until it waits or ends; false: there was none.
  bool RunOne();

  // The worker's guest leaves Park, or does not enter it next time. Where the worker has no guest,
  // its next one does.
  static void Unpark(Pool& pool, int worker);
  static void UnparkAll(Pool& pool);

  Worker& worker() const { return scheduler_; }

 private:
  void CheckIsHere(const char* call) const;

  Scheduler& scheduler_;
  const void* const os_thread_;  // that made it
};

}  // namespace lwt
