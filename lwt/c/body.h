// What a thread of a C program runs, and what belongs to it: its keys' values and whether it may
// be cancelled.
//
// Threads: the running thread, but for Cancel of cancel.h.
#pragma once

#include <cstddef>
#include <span>

#include "lwt/c/key_values.h"
#include "lwt/threads/descriptor.h"

namespace lwt::c {

// Thrown by a thread that ends inside of its calls, and caught by its body: C++ destructors and
// cleanup handlers in between run.
struct Exit {
  void* result;
};

// A value on the thread's stack: runs the function, keeps what it returns and destroys the values
// of its keys. Its own copy is some words, so a thread that uses no keys pays for none.
struct Body {
  using Function = void* (*)(void*);
  static constexpr const char* kName = "a thread of a C program";
  static constexpr bool kMayBeCancelled = true;  // for PlaceBody (kernel/new_thread.h)

  Function function = nullptr;
  void* argument = nullptr;
  bool is_cancellable = true;
  KeyValues* keys = nullptr;  // while it runs
  void (*after)() = nullptr;  // called last

  void operator()();
};

// The calling thread's; null: it is none of these.
Body* CurrentBody();

// The values of the calling thread: a lightweight thread of a C program has its own, and so has
// each OS thread outside of workers. Other lightweight threads have none: null.
KeyValues* CurrentKeyValues();

// A value. How a thread is to be made.
struct BodyOptions {
  std::size_t stack_bytes = 0;  // more than the workers' threads have: a stack of its own
  std::span<const std::byte> hint = {};
};

// A thread that runs at once, in place of the calling one. Null where memory ends.
Descriptor* SpawnBody(Body::Function function, void* argument);
// The same with options. Throws std::bad_alloc.
Descriptor& SpawnBody(Body body, const BodyOptions& options);
// One that is not scheduled (ReadyThreads::Wrap). Throws std::bad_alloc.
Descriptor& CreateBody(Body body, const BodyOptions& options);

}  // namespace lwt::c
