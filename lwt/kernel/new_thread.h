// How a thread begins: a descriptor with a stack, the body at the upper end of the stack, and the
// function that runs the body. It begins as a child that is called (SpawnThread), or it is made and
// lies in a run queue until a worker takes it (CreateThread, PostThread).
//
// Threads: from lightweight threads, but for PostThread.
//
// Source: [NNT13] sections 2.2, 3.1, 3.2.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "lwt/kernel/child.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/thread.h"

namespace lwt {

// Templates here are `inline` for the compiler's sake: it then makes one function of a body and its
// runner.

// The handle by which a thread is joined; empty for null.
class ThreadHandles {
 public:
  static Thread Wrap(Descriptor* thread) { return Thread(thread); }
};

inline Descriptor* OrThrow(Descriptor* thread) {
  if (thread == nullptr) throw std::bad_alloc();
  return thread;
}

template <typename Body, typename F>
inline void PlaceBody(Descriptor& thread, F&& f) {
  static_assert(alignof(Body) <= 64, "a stack ends at 64 bytes");
  constexpr std::size_t kBytes = (sizeof(Body) + 63) / 64 * 64;
  void* const at = static_cast<std::byte*>(thread.stack->top()) - kBytes;
  thread.body = ::new (at) Body(std::forward<F>(f));
  // Before the thread begins: from then on others may have its handle, and cancel it.
  if constexpr (requires { Body::kMayBeCancelled; }) thread.is_cancelled = false;
}

// PlaceBody for a thread that is given back if the body's constructor throws.
template <typename Body, typename F>
inline void PlaceBodyOrFree(Descriptor& thread, F&& f) {
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

template <typename Body>
inline void RunBody(Descriptor& thread) noexcept {
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

// Runs on the child's stack, called by SpawnThread.
template <typename Body>
inline StackPointer* ChildMain(void* child_pointer, void* scheduler_pointer) {
  Descriptor& child = *static_cast<Descriptor*>(child_pointer);
  Scheduler& scheduler = *static_cast<Scheduler*>(scheduler_pointer);
  Descriptor& parent = *scheduler.current();
  const std::uint64_t parent_turns = parent.turns;
  child.stack->flow.Arrive(nullptr);
  StartChild(child, parent, scheduler);
  const std::uint64_t turns = child.turns;
  RunBody<Body>(child);
  return EndChild(child, turns, parent, parent_turns, scheduler);
}

// The first function on the stack of a thread that was created or posted, not spawned.
template <typename Body>
inline void CreatedMain(void* handoff, void* thread_pointer) {
  Descriptor& thread = *static_cast<Descriptor*>(thread_pointer);
  thread.drop = nullptr;
  Switcher::Resumed(thread, static_cast<Handoff*>(handoff));
  RunBody<Body>(thread);
  Switcher::End(thread);
}

// `made`, of the cache (null: there is no memory), as a thread that still lacks its body; null
// where memory ends.
[[gnu::always_inline]] inline Descriptor* Prepare(Descriptor* made, Scheduler& scheduler,
                                                  const char* name,
                                                  std::span<const std::byte> hint) {
  if (made == nullptr) [[unlikely]] {
    return nullptr;
  }
  made->completion.Reset();
  made->name = name;
  if (hint.empty()) {
    made->ClearHint();
  } else if (!made->SetHint(hint)) {
    scheduler.cache().Free(*made);
    return nullptr;
  }
  return made;
}

// Gives a thread that has a body, and did not start, all that a worker needs to start it.
template <typename Body>
inline void MakeStartable(Descriptor& thread, const Descriptor* parent, Scheduler& scheduler) {
  thread.depth = parent == nullptr ? 0 : parent->depth + 1;
  thread.inherited = parent == nullptr ? 0 : parent->inherited;
  thread.last = &scheduler;
  thread.exceptions = {};
  thread.drop = [](Descriptor& dropped) { static_cast<Body*>(dropped.body)->~Body(); };
  thread.sp = PrepareFlow(thread.body, &CreatedMain<Body>, &thread);
}

// A thread that runs `f()` at once, in place of the calling one. Null where memory ends: `f` is
// then as it was.
template <typename F>
inline Descriptor* SpawnThread(F&& f, const char* name, std::span<const std::byte> hint) {
  using Body = std::decay_t<F>;
  constexpr bool kIsPlain = std::is_trivially_constructible_v<Body, F&&>;
  Scheduler& before = Scheduler::Here("Spawn");
  Descriptor* const made = Prepare(before.cache().New(), before, name, hint);
  if (made == nullptr) [[unlikely]] {
    return nullptr;
  }
  Descriptor& child = *made;
  if (!before.ready().MakeRoom("Spawn")) [[unlikely]] {
    before.cache().Free(child);
    return nullptr;
  }
  PlaceBodyOrFree<Body>(child, std::forward<F>(f));
  Scheduler& scheduler = kIsPlain ? before : *Scheduler::Current();
  if constexpr (!kIsPlain) {
    // A constructor may do anything, spawn and suspend too, and use up the room.
    if (!scheduler.ready().MakeRoom("Spawn")) [[unlikely]] {
      MakeStartable<Body>(child, scheduler.current(), scheduler);
      scheduler.Push(ReadyThreads::Wrap(child));  // needs none; it runs a little later
      return &child;
    }
  }
  Descriptor& parent = *scheduler.current();
  void* const top = child.body;
  if constexpr (kSanitizersFollowStacks) parent.stack->flow.Leave(child.stack->flow);
  void* const handoff = CallOnStack(parent.sp, top, &ChildMain<Body>, &child, &scheduler);
  if (kSanitizersFollowStacks || handoff != nullptr) {
    Switcher::Resumed(parent, static_cast<Handoff*>(handoff));
  }
  return &child;
}

// `made` (null: throws std::bad_alloc), of Prepare, as a thread that runs `f()` once it is
// scheduled, by ReadyThreads::Wrap.
template <typename F>
inline Descriptor& CreateThreadAs(Descriptor* made, F&& f) {
  using Body = std::decay_t<F>;
  Descriptor& thread = *OrThrow(made);
  PlaceBodyOrFree<Body>(thread, std::forward<F>(f));
  Scheduler& scheduler = *Scheduler::Current();
  MakeStartable<Body>(thread, scheduler.current(), scheduler);
  return thread;
}
template <typename F>
inline Descriptor& CreateThread(F&& f, const char* name, std::span<const std::byte> hint) {
  Scheduler& scheduler = Scheduler::OfThread("Create");
  return CreateThreadAs(Prepare(scheduler.cache().New(), scheduler, name, hint),
                        std::forward<F>(f));
}
// CreateThread with a stack of the thread's own, of at least `stack_bytes`.
template <typename F>
inline Descriptor& CreateThreadWithOwnStack(F&& f, const char* name,
                                            std::span<const std::byte> hint,
                                            std::size_t stack_bytes) {
  Scheduler& scheduler = Scheduler::OfThread("Create");
  return CreateThreadAs(
      Prepare(scheduler.cache().NewWithOwnStack(stack_bytes), scheduler, name, hint),
      std::forward<F>(f));
}

// A thread that no thread joins, at the head of the worker whose OS thread calls this. Throws
// std::bad_alloc.
template <typename F>
inline void PostThread(Scheduler& scheduler, F&& f, const char* name) {
  using Body = std::decay_t<F>;
  static_assert(std::is_nothrow_constructible_v<Body, F&&>, "a posted body is moved or copied");
  Descriptor& thread = *OrThrow(Prepare(scheduler.cache().New(), scheduler, name, {}));
  PlaceBody<Body>(thread, std::forward<F>(f));
  thread.completion.ResetDetached();
  MakeStartable<Body>(thread, scheduler.current(), scheduler);
  scheduler.ready().PushOrPut(thread);
  scheduler.ready().NotifyOthers();
}

}  // namespace lwt
