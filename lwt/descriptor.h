// What the pool knows of a lightweight thread.
//
// Descriptors are made in blocks, used again, and freed with the pool: a thief
// that comes too late reads an old one, never a foreign object.
#pragma once

#include <cstdint>
#include <exception>

#include "lwt/atomic.h"
#include "lwt/completion.h"
#include "lwt/context.h"
#include "lwt/hint.h"
#include "lwt/inbox.h"
#include "lwt/stack.h"

namespace lwt {

class Worker;

// The exceptions that a flow is handling: the C++ runtime keeps them by OS
// thread. As __cxa_eh_globals of the Itanium C++ ABI, section 2.2.2.
struct ExceptionGlobals {
  void* caught = nullptr;
  unsigned uncaught = 0;

  bool any() const { return (reinterpret_cast<std::uintptr_t>(caught) | uncaught) != 0; }
};

// A value inside of one pool. Who writes: who runs the thread, and who hands it
// on; the hint and the completion by their own rules.
struct alignas(64) Descriptor : InboxLink {
  StackPointer sp = nullptr;                 // while it does not run
  Stack* stack = nullptr;                    // null while it has none
  Worker* last = nullptr;                    // the worker it last ran on, or was made for
  std::uint32_t resumed = 0;                 // how often it was resumed after a suspension
  Relaxed<std::uint32_t> depth = 0;          // how many spawns from the thread of Pool::Run
  Relaxed<const char*> name = "";            // of its kind; for reports
  Relaxed<const char*> waits_for = nullptr;  // for reports, while it is suspended
  ExceptionGlobals exceptions;               // while it does not run
  BasicCompletion<Atomic, Descriptor> completion;
  std::exception_ptr error;             // what its body threw, until it is joined
  void (*drop)(Descriptor&) = nullptr;  // destroys a body that never ran; null once it runs
  bool pool_waits = false;              // detached: the pool's destructor waits for its end
  void* result = nullptr;               // for the C API
  void* body = nullptr;                 // on its stack
  HintStore hint;
  Descriptor* next_free = nullptr;
};

// What rides in a run queue: a thread, or, with the lowest bit set, a Record.
inline std::uintptr_t ItemOf(Descriptor& thread) {
  return reinterpret_cast<std::uintptr_t>(&thread);
}
inline Entry EntryOf(Descriptor& thread) { return {ItemOf(thread), thread.hint.word()}; }

// Work that is not a thread yet: whoever forked it runs it at the join, unless a
// thief took it and made it a thread. On the forker's stack (fork_join.h).
struct alignas(8) Record {
  void (*run)(Record&) = nullptr;  // catches into `error`
  std::exception_ptr error;
  BasicCompletion<Atomic, Descriptor> completion;
  std::uint32_t depth = 0;
};
inline std::uintptr_t ItemOf(Record& record) {
  return reinterpret_cast<std::uintptr_t>(&record) | 1;
}
inline bool IsRecord(std::uintptr_t item) { return (item & 1) != 0; }
inline Record& RecordOf(std::uintptr_t item) { return *reinterpret_cast<Record*>(item & ~1ul); }
inline Descriptor& ThreadOf(std::uintptr_t item) { return *reinterpret_cast<Descriptor*>(item); }

}  // namespace lwt
