// The system's own threads, for what the layer asks of an OS thread. Includes nothing of
// lwt/pthread.h, which renames the functions.
//
// Threads: any.
#pragma once

#include <cstddef>

namespace lwt::c {

bool IsMainThread();
[[noreturn]] void EndOsThread(void* result);

// The stack of the calling OS thread; an errno value where the system does not say.
int OsStack(void*& begin, std::size_t& bytes);

}  // namespace lwt::c
