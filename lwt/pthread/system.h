// The system's own threads and signals, for what the layer asks of an OS thread. Includes nothing
// of lwt/pthread.h, which renames the functions.
//
// Threads: any.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include <cstddef>

#include "lwt/pthread/signal_set.h"

namespace lwt::c {

bool IsMainThread();
[[noreturn]] void EndOsThread(void* result);

// The stack of the calling OS thread; an errno value where the system does not say.
int OsStack(void*& begin, std::size_t& bytes);
// Of the system's threads without attributes; 0 where the system does not say.
std::size_t SystemStackBytes();

// Of the calling OS thread, the same in a child of fork(2); in a handler that the courier runs it
// is the thread's to which the signal was sent.
pthread_t IdOfOsThread();
// Does the calling OS thread run a handler for a lightweight thread?
bool StandsForAnother();
// The kernel's number for an OS thread's id; 0 for the calling one.
pid_t NumberOf(pthread_t id_of_os_thread);
// ESRCH: there is none.
int SendToOsThread(pthread_t id, int signal);

// The calling OS thread's mask.
SignalSet BlockedHere();
// While it lives, the calling OS thread has this mask; signals that are pending and not in it are
// delivered at once. A thread may go on on another worker meanwhile: all have one mask.
class MaskHere {
 public:
  explicit MaskHere(SignalSet blocked);
  ~MaskHere();
  MaskHere(const MaskHere&) = delete;
  MaskHere& operator=(const MaskHere&) = delete;

 private:
  sigset_t before_;
};

// To the calling OS thread, and it does not block the signal: the handler has run on return.
void Raise(int signal);
// The signal's handler or default action, on the calling OS thread and for the thread `id`.
void RunHandlerFor(pthread_t id, const siginfo_t& info, SignalSet blocked);
// Pending for the process, with its siginfo.
void SendToProcess(const siginfo_t& info);

}  // namespace lwt::c
