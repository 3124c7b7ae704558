// The one pool that the C functions stand for, and how they get onto a worker of it.
//
// Threads: any.
#pragma once

#include <cerrno>
#include <cstddef>
#include <new>

#include "lwt/pool.h"

namespace lwt::c {

// A value. What the workers are started with; 0 is what the environment says, or the default.
struct WorkersOptions {
  int workers = 0;              // MYTH_NUM_WORKERS, else as many as the machine runs at once
  std::size_t stack_bytes = 0;  // MYTH_DEF_STKSIZE, else DefaultStackBytes()
  bool pinned = false;          // each to a processor of its own
  bool children_first = true;   // of threads without attributes
};

// The stacks of the workers that are started next, where neither WorkersOptions nor the environment
// says another size, and how the program gets larger ones: for reports of overflows, a literal.
struct StackDefault {
  std::size_t bytes = kDefaultStackBytes;
  const char* advice = "MYTH_DEF_STKSIZE or myth_thread_attr_setstacksize gives more";
};
void SetStackDefault(const StackDefault& stack_default);
// Of a thread that asks for nothing.
std::size_t DefaultStackBytes();

// For the first call that needs workers, where no StartWorkers has come before.
void SetDefaults(const WorkersOptions& options);
WorkersOptions Defaults();
// Of them, what each creation of a thread asks for: takes no lock.
bool RunsChildrenFirst();

// 0, or an errno value; nothing where the workers run already.
int StartWorkers(const WorkersOptions& options);
// Waits for threads that were detached.
void StopWorkers();

// That of the calling worker; else the workers, which it starts. Ends the program where they
// cannot be started.
Pool& ThePool();

// Calls `f` on a worker: here if this is one. 0, or ENOMEM.
template <typename F>
int OnWorker(F f) {
  try {
    if (Worker::Current() != nullptr) {
      f();
    } else {
      ThePool().Run(f);
    }
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

}  // namespace lwt::c
