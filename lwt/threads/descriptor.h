// What the pool knows of a lightweight thread.
//
// Descriptors are made in blocks, used again, and freed with the pool: a thief
// that comes too late reads an old one, never a foreign object.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <type_traits>

#include "lwt/machine/atomic.h"
#include "lwt/machine/context.h"
#include "lwt/machine/stack.h"
#include "lwt/queue/hint.h"
#include "lwt/queue/inbox.h"
#include "lwt/threads/completion.h"

namespace lwt {

class Scheduler;
struct PoolShared;

// The exceptions that a flow is handling: the C++ runtime keeps them by OS
// thread. As __cxa_eh_globals of the Itanium C++ ABI, section 2.2.2.
struct ExceptionGlobals {
  void* caught = nullptr;
  unsigned uncaught = 0;

  bool any() const { return (reinterpret_cast<std::uintptr_t>(caught) | uncaught) != 0; }
};

// A value inside of one pool. Written by the worker that runs the thread and by the worker that
// hands it on; the hint and the completion by their own rules.
struct alignas(64) Descriptor : InboxLink {
  StackPointer sp = nullptr;   // while it does not run
  Stack* stack = nullptr;      // null while it has none
  PoolShared* pool = nullptr;  // never another
  Scheduler* last = nullptr;   // the worker it last ran on, or was made for
  // How often a thread of this descriptor was started or resumed; never reset, so
  // that no two turns have the same number.
  std::uint64_t turns = 0;
  // What stands for it in a run queue; changes with the class of its hint.
  Relaxed<std::uintptr_t> item = reinterpret_cast<std::uintptr_t>(this);
  std::uint64_t inherited = 0;               // Inherited's (thread.h)
  Relaxed<std::uint32_t> depth = 0;          // how many spawns from the thread of Pool::Run
  bool is_new_call = false;                  // of Pool::Run, and has not begun
  bool is_known = false;                     // others than its spawner may have its handle
  bool pool_waits = false;                   // detached: the pool's destructor waits for its end
  Relaxed<bool> is_cancelled = false;        // for the C API
  Relaxed<const char*> name = "";            // of its kind; for reports
  Relaxed<const char*> waits_for = nullptr;  // for reports, while it is suspended
  ExceptionGlobals exceptions;               // while it does not run
  int os_errno = 0;                          // errno, while it does not run
  Atomic<std::uintptr_t> awaits;             // for deadlocks (owner.h)
  BasicCompletion<Atomic, Descriptor> completion;
  std::exception_ptr error;             // what its body threw, until it is joined
  void (*drop)(Descriptor&) = nullptr;  // destroys a body that never ran; null once it runs
  void* result = nullptr;               // for the C API
  void* body = nullptr;                 // on its stack
  HintStore hint;
  Descriptor* next_free = nullptr;
  void* program_thread = nullptr;  // of a pthread program, until its end

  // For reports, also where a program gave no name.
  const char* shown_name() const {
    const char* const given = name;
    return given == nullptr ? "thread" : given;
  }

  // False where there is no memory for it.
  [[nodiscard]] bool SetHint(std::span<const std::byte> bytes) {
    if (!hint.Write(bytes)) return false;
    item = reinterpret_cast<std::uintptr_t>(this) | HintClassOf(bytes.size()) << 1;
    return true;
  }
  void ClearHint() {
    if (hint.bytes() != 0) (void)SetHint({});
  }
};
static_assert(sizeof(Descriptor) <= 256);

// Work that is not a thread yet: the forking thread runs it at the join, unless a
// thief took it and made it a thread. On the forker's stack (fork_join.h).
struct alignas(8) Record {
  void (*run)(Record&) = nullptr;  // catches into `error`
  std::exception_ptr error;
  BasicCompletion<Atomic, Descriptor> completion;
  // The thread that forked it and waits for its end. Once it is a thread itself, the complement of
  // that one's address, until that has ended: one word, so that a fork writes no more.
  std::uintptr_t forker_or_runner = 0;

  void SetForker(Descriptor& thread) {
    forker_or_runner = reinterpret_cast<std::uintptr_t>(&thread);
  }
  // Precondition: it is no thread yet.
  Descriptor& forker() const { return *reinterpret_cast<Descriptor*>(forker_or_runner); }

  // The thread that it became, until it has ended: null before and after.
  Descriptor* runner() {
    const std::uintptr_t word = std::atomic_ref(forker_or_runner).load(std::memory_order_acquire);
    // Addresses of user space begin with a zero.
    const bool is_runner = word >> (std::numeric_limits<std::uintptr_t>::digits - 1) != 0;
    return is_runner ? reinterpret_cast<Descriptor*>(~word) : nullptr;
  }
  void SetRunner(Descriptor& thread) {
    std::atomic_ref(forker_or_runner)
        .store(~reinterpret_cast<std::uintptr_t>(&thread), std::memory_order_release);
  }
  void ClearRunner() { std::atomic_ref(forker_or_runner).store(0, std::memory_order_release); }
};

// What rides in a run queue: the address of a thread or Record; the lowest bit
// is set for a Record, the next two are the class of its hint.
inline Entry EntryOf(Descriptor& thread) { return {thread.item, thread.hint.word()}; }
struct NoHint {};
template <Hint T>
Entry EntryOf(Record& record, const T& hint) {
  static_assert(sizeof(T) <= sizeof(Entry::hint), "a record's hint has at most eight bytes");
  constexpr std::size_t kBytes = std::is_empty_v<T> ? 0 : sizeof(T);
  Entry entry{reinterpret_cast<std::uintptr_t>(&record) | HintClassOf(kBytes) << 1 | 1, 0};
  std::memcpy(&entry.hint, &hint, kBytes);
  return entry;
}
inline bool IsRecord(std::uintptr_t item) { return (item & 1) != 0; }
inline std::uintptr_t HintClass(std::uintptr_t item) { return item >> 1 & 3; }
inline Record& RecordOf(std::uintptr_t item) { return *reinterpret_cast<Record*>(item & ~7ul); }
inline Descriptor& ThreadOf(std::uintptr_t item) {
  return *reinterpret_cast<Descriptor*>(item & ~7ul);
}

}  // namespace lwt
