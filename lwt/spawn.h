// Creating lightweight threads.
//
//   lwt::Thread child = lwt::Spawn([&] { Left(); });
//   Right();
//   child.Join();
//
// The child runs at once, on this worker, as if it were called; what follows the
// Spawn goes into the run queue, where an idle worker may take it (lazy task
// creation). So after Spawn the calling thread may be on another OS thread.
//
// Threads: from lightweight threads only (Pool::Run starts the first).
// Errors: Spawn throws std::bad_alloc where there is no memory for a stack;
// nothing is lost, and the body was not run. What a body throws comes out of
// Thread::Join; of a thread that is detached it ends the program, with its name.
//
// Source: [NNT13] sections 2.2, 3.1, 3.2.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "lwt/kernel/new_thread.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/thread.h"

namespace lwt {

// A value. What a thread has besides its body.
struct SpawnOptions {
  const char* name = "thread";  // a literal; for reports
};

// A value.
struct Created {
  Thread thread;      // to join
  ReadyThread ready;  // to schedule
};

// Starts a thread that runs `f()` (moved or copied into the thread), now.
template <typename F>
requires std::invocable<std::decay_t<F>> Thread Spawn(F&& f, const SpawnOptions& options = {}) {
  return ThreadHandles::Wrap(OrThrow(SpawnThread(std::forward<F>(f), options.name, {})));
}

// Spawn without std::bad_alloc: kNoMemory instead, and `f` is as it was.
enum class SpawnResult { kSpawned, kNoMemory };
template <typename F>
requires std::invocable<std::decay_t<F>>
[[nodiscard]] SpawnResult TrySpawn(Thread& thread, F&& f, const SpawnOptions& options = {}) {
  thread = ThreadHandles::Wrap(SpawnThread(std::forward<F>(f), options.name, {}));
  return thread.joinable() ? SpawnResult::kSpawned : SpawnResult::kNoMemory;
}

// Spawn with a hint that policies read (hint.h).
template <Hint T, typename F>
requires std::invocable<std::decay_t<F>> Thread SpawnWithHint(const T& hint, F&& f,
                                                              const SpawnOptions& options = {}) {
  return ThreadHandles::Wrap(OrThrow(SpawnThread(std::forward<F>(f), options.name,
                                                 std::as_bytes(std::span<const T, 1>(&hint, 1)))));
}

// A thread that exists and is not scheduled: the paper's section 3.2.
template <typename F>
requires std::invocable<std::decay_t<F>> Created Create(F&& f, const SpawnOptions& options = {},
                                                        std::span<const std::byte> hint = {}) {
  Descriptor& thread = CreateThread(std::forward<F>(f), options.name, hint);
  return {ThreadHandles::Wrap(&thread), ReadyThreads::Wrap(thread)};
}
template <Hint T, typename F>
requires std::invocable<std::decay_t<F>> Created CreateWithHint(const T& hint, F&& f,
                                                                const SpawnOptions& options = {}) {
  return Create(std::forward<F>(f), options, std::as_bytes(std::span<const T, 1>(&hint, 1)));
}

// Queues a thread that runs `f()` and that nobody joins, at this worker's head; the calling thread
// goes on (help-first, where Spawn is work-first). The pool does not wait for it: it has ended
// before the pool is destroyed. An exception of `f` ends the program. Throws std::bad_alloc where
// there is no memory.
template <typename F>
requires std::invocable<std::decay_t<F>>
void Post(F&& f, const SpawnOptions& options = {}) {
  PostThread(Scheduler::OfThread("Post"), std::forward<F>(f), options.name);
}

}  // namespace lwt
