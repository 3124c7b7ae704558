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

#include <new>
#include <type_traits>
#include <utility>

#include "lwt/kernel/child.h"
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

// Parts of Spawn and Create; not for users.
struct ThreadAccess {
  static Thread Make(Descriptor& thread) { return Thread(&thread); }
  static Descriptor* Release(Thread& thread) { return std::exchange(thread.thread_, nullptr); }
  // For the C API: joins a thread that has ended and threw nothing, and gets what its body left in
  // Descriptor::result. Else false.
  [[nodiscard]] static bool TryJoinForResult(Descriptor& thread, void*& result) {
    if (!thread.completion.IsDone() || thread.error != nullptr) [[unlikely]] {
      return false;
    }
    Scheduler& scheduler = Scheduler::OfPool(*thread.pool, "Join");
    result = thread.result;
    thread.completion.Forget();
    scheduler.cache().Free(thread);
    return true;
  }
  // Joins any.
  static void* JoinForResult(Thread thread) {
    void* result = nullptr;
    const std::exception_ptr error = Thread::WaitForEnd(*Release(thread), &result);
    if (error != nullptr) std::rethrow_exception(error);
    return result;
  }

  // Lays the body at the upper end of the stack.
  template <typename Body, typename F>
  static Body* PlaceBody(Descriptor& thread, F&& f) {
    static_assert(alignof(Body) <= 64, "a stack ends at 64 bytes");
    constexpr std::size_t kBytes = (sizeof(Body) + 63) / 64 * 64;
    void* const at = static_cast<std::byte*>(thread.stack->top()) - kBytes;
    thread.body = ::new (at) Body(std::forward<F>(f));
    // Before the thread begins: from then on others may have its handle, and cancel it.
    if constexpr (requires { Body::kMayBeCancelled; }) thread.is_cancelled = false;
    return static_cast<Body*>(at);
  }

  template <typename Body>
  static void RunBody(Descriptor& thread) noexcept {
    Body& body = *static_cast<Body*>(thread.body);
    try {
      std::move(body)();
    } catch (...) {
      thread.error = std::current_exception();
    }
    if constexpr (std::is_nothrow_destructible_v<Body>) {
      body.~Body();
    } else {
      try {
        body.~Body();
      } catch (...) {
        if (thread.error == nullptr) thread.error = std::current_exception();
      }
    }
  }

  // Runs on the child's stack, called by Spawn.
  template <typename Body>
  static StackPointer* ChildMain(void* child_pointer, void* scheduler_pointer) {
    Descriptor& child = *static_cast<Descriptor*>(child_pointer);
    Scheduler& scheduler = *static_cast<Scheduler*>(scheduler_pointer);
    Descriptor& parent = *scheduler.current();
    const std::uint64_t parent_turns = parent.turns;
    child.stack->flow.Arrive(nullptr);
    StartChild(child, parent, scheduler);
    const std::uint64_t turns = child.turns;
    RunBody<Body>(child);
    return EndChild(child, child.turns == turns, parent, parent_turns, scheduler);
  }

  // The first thing on the stack of a thread that was created, not spawned.
  template <typename Body>
  static void CreatedMain(void* handoff, void* thread_pointer) {
    Descriptor& thread = *static_cast<Descriptor*>(thread_pointer);
    thread.drop = nullptr;
    Switcher::Resumed(thread, static_cast<Handoff*>(handoff));
    RunBody<Body>(thread);
    Switcher::End(thread);
  }

  // A thread that still lacks its body; null where memory ends.
  [[gnu::always_inline]] static Descriptor* NewThread(Scheduler& scheduler,
                                                      const SpawnOptions& options,
                                                      std::span<const std::byte> hint) {
    return Prepare(scheduler.cache().New(), scheduler, options, hint);
  }
  [[gnu::always_inline]] static Descriptor* Prepare(Descriptor* thread, Scheduler& scheduler,
                                                    const SpawnOptions& options,
                                                    std::span<const std::byte> hint) {
    if (thread == nullptr) [[unlikely]] {
      return nullptr;
    }
    thread->completion.Reset();
    thread->name = options.name;
    if (hint.empty()) {
      thread->ClearHint();
    } else if (!thread->SetHint(hint)) {
      scheduler.cache().Free(*thread);
      return nullptr;
    }
    return thread;
  }

  // PlaceBody for a thread that is given back if the body's constructor throws.
  template <typename Body, typename F>
  static void PlaceBodyOrFree(Descriptor& thread, F&& f) {
    if constexpr (std::is_nothrow_constructible_v<Body, F&&>) {
      PlaceBody<Body>(thread, std::forward<F>(f));
    } else {
      try {
        PlaceBody<Body>(thread, std::forward<F>(f));
      } catch (...) {
        Scheduler::Current()->cache().Free(thread);
        throw;
      }
    }
  }

  // Makes a thread that has a body and did not start one that can be scheduled.
  template <typename Body>
  static void PrepareCreated(Descriptor& thread) {
    Scheduler& scheduler = *Scheduler::Current();
    thread.depth = scheduler.current()->depth + 1;
    thread.inherited = scheduler.current()->inherited;
    thread.last = &scheduler;
    thread.exceptions = {};
    thread.drop = [](Descriptor& dropped) { static_cast<Body*>(dropped.body)->~Body(); };
    thread.sp = PrepareFlow(thread.body, &ThreadAccess::CreatedMain<Body>, &thread);
  }

  // Empty where memory ends: `f` is then as it was.
  template <typename F>
  static Thread Spawn(F&& f, const SpawnOptions& options, std::span<const std::byte> hint) {
    using Body = std::decay_t<F>;
    constexpr bool kIsPlain = std::is_trivially_constructible_v<Body, F&&>;
    Scheduler& before = Scheduler::Here("Spawn");
    Descriptor* const made = NewThread(before, options, hint);
    if (made == nullptr) [[unlikely]] {
      return Thread();
    }
    Descriptor& child = *made;
    if (!before.ready().MakeRoom("Spawn")) [[unlikely]] {
      before.cache().Free(child);
      return Thread();
    }
    PlaceBodyOrFree<Body>(child, std::forward<F>(f));
    Scheduler& scheduler = kIsPlain ? before : *Scheduler::Current();
    if constexpr (!kIsPlain) {
      // A constructor may do anything, spawn and suspend too, and use up the room.
      if (!scheduler.ready().MakeRoom("Spawn")) [[unlikely]] {
        PrepareCreated<Body>(child);
        scheduler.Push(ReadyThreads::Wrap(child));  // needs none; it runs a little later
        return Thread(&child);
      }
    }
    Descriptor& parent = *scheduler.current();
    void* const top = child.body;
    if constexpr (kSanitizersFollowStacks) parent.stack->flow.Leave(child.stack->flow);
    void* const handoff = CallOnStack(parent.sp, top, &ChildMain<Body>, &child, &scheduler);
    if (kSanitizersFollowStacks || handoff != nullptr) {
      Switcher::Resumed(parent, static_cast<Handoff*>(handoff));
    }
    return Thread(&child);
  }

  // Of a thread from NewThread or NewWithOwnStack one that can be scheduled.
  template <typename F>
  static Created CreateAs(Descriptor* made, F&& f) {
    using Body = std::decay_t<F>;
    if (made == nullptr) throw std::bad_alloc();
    Descriptor& thread = *made;
    PlaceBodyOrFree<Body>(thread, std::forward<F>(f));
    PrepareCreated<Body>(thread);
    return {Make(thread), ReadyThreads::Wrap(thread)};
  }

  // Create with a stack of the thread's own, of at least `stack_bytes`.
  template <typename F>
  static Created CreateWithOwnStack(F&& f, const SpawnOptions& options,
                                    std::span<const std::byte> hint, std::size_t stack_bytes) {
    Scheduler& scheduler = Scheduler::OfThread("Create");
    return CreateAs(
        Prepare(scheduler.cache().NewWithOwnStack(stack_bytes), scheduler, options, hint),
        std::forward<F>(f));
  }

  // A thread that nobody joins, at the head of the worker whose OS thread calls this.
  template <typename F>
  static void Post(Scheduler& scheduler, F&& f, const SpawnOptions& options) {
    using Body = std::decay_t<F>;
    static_assert(std::is_nothrow_constructible_v<Body, F&&>, "a posted body is moved or copied");
    Descriptor* const made = NewThread(scheduler, options, {});
    if (made == nullptr) throw std::bad_alloc();
    Descriptor& thread = *made;
    PlaceBody<Body>(thread, std::forward<F>(f));
    const Descriptor* const poster = scheduler.current();
    thread.completion.ResetDetached();
    thread.depth = poster == nullptr ? 0 : poster->depth + 1;
    thread.inherited = poster == nullptr ? 0 : poster->inherited;
    thread.last = &scheduler;
    thread.exceptions = {};
    thread.drop = [](Descriptor& dropped) { static_cast<Body*>(dropped.body)->~Body(); };
    thread.sp = PrepareFlow(thread.body, &ThreadAccess::CreatedMain<Body>, &thread);
    scheduler.ready().PushOrPut(thread);
    scheduler.ready().NotifyOthers();
  }

  static Thread OrThrow(Thread thread) {
    if (!thread.joinable()) throw std::bad_alloc();
    return thread;
  }
};

// Starts a thread that runs `f()` (moved or copied into the thread), now.
template <typename F>
requires std::invocable<std::decay_t<F>> Thread Spawn(F&& f, const SpawnOptions& options = {}) {
  return ThreadAccess::OrThrow(ThreadAccess::Spawn(std::forward<F>(f), options, {}));
}

// Spawn without std::bad_alloc: kNoMemory instead, and `f` is as it was.
enum class SpawnResult { kSpawned, kNoMemory };
template <typename F>
requires std::invocable<std::decay_t<F>>
[[nodiscard]] SpawnResult TrySpawn(Thread& thread, F&& f, const SpawnOptions& options = {}) {
  thread = ThreadAccess::Spawn(std::forward<F>(f), options, {});
  return thread.joinable() ? SpawnResult::kSpawned : SpawnResult::kNoMemory;
}

// Spawn with a hint that policies read (hint.h).
template <Hint T, typename F>
requires std::invocable<std::decay_t<F>> Thread SpawnWithHint(const T& hint, F&& f,
                                                              const SpawnOptions& options = {}) {
  return ThreadAccess::OrThrow(ThreadAccess::Spawn(std::forward<F>(f), options,
                                                   std::as_bytes(std::span<const T, 1>(&hint, 1))));
}

// A thread that exists and is not scheduled: the paper's section 3.2.
template <typename F>
requires std::invocable<std::decay_t<F>> Created Create(F&& f, const SpawnOptions& options = {},
                                                        std::span<const std::byte> hint = {}) {
  Scheduler& scheduler = Scheduler::OfThread("Create");
  return ThreadAccess::CreateAs(ThreadAccess::NewThread(scheduler, options, hint),
                                std::forward<F>(f));
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
  ThreadAccess::Post(Scheduler::OfThread("Post"), std::forward<F>(f), options);
}

}  // namespace lwt
