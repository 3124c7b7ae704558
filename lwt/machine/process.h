// The process as pools see it: fork(2), whose child has none of the workers, and exit(3), which
// destroys static objects while the other OS threads go on.
//
// Threads: any.
#pragma once

namespace lwt {

// A child's is its parent's plus one, if the parent has asked.
int ProcessGeneration();

// Has this process called exit, as far as the calling OS thread knows? It does where
// WatchThisThreadForExit was called on it, and it is the thread that exits; or where
// WatchForExit was called by any thread, and later than the construction of the static object
// whose destructor asks.
bool IsProcessExiting();

// Exit destroys the thread_local variables of the thread that calls it before all static objects.
void WatchThisThreadForExit();

// Exit destroys static objects, and calls the functions of atexit, in the opposite order of their
// construction and registration. The process remembers a bounded number of calls.
void WatchForExit();

}  // namespace lwt
