// Joining a thread of a C program, from anywhere.
//
// Threads: any. A thread is joined once (completion.h).
#pragma once

#include "lwt/threads/descriptor.h"
#include "lwt/timer.h"

namespace lwt::c {

// 0; ENOMEM: from outside, no thread can be made that waits. Throws what the thread threw.
// `result` may be null.
int Join(Descriptor& thread, void** result);
// ETIMEDOUT where it still runs at the deadline: it may then be joined later. A cancellation point.
int JoinUntil(Descriptor& thread, void** result, Deadline deadline);

}  // namespace lwt::c
