// Ending a thread of a C program from outside: at its next cancellation point, and woken for that
// where it waits for a condition or for a moment.
//
// Threads: Cancel by any; the rest by the thread that may be cancelled. Order: a thread is in the
// list
//   of those that can be woken before it looks whether it was cancelled, and Cancel marks it before
//   it looks into the list; so one of the two sees the other (the list's lock).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "lwt/c/owned_lock.h"
#include "lwt/condition_variable.h"
#include "lwt/timer.h"

namespace lwt {
struct Descriptor;
}

namespace lwt::c {

// What a thread that was cancelled returns, as MYTH_CANCELED and PTHREAD_CANCELED.
inline void* const kCancelled = reinterpret_cast<void*>(-1);

// Precondition: `thread` was not joined.
void Cancel(Descriptor& thread);

// Was the calling thread cancelled, and lets it itself be? Outside of workers never.
bool IsCancelled();
// If so, ends it.
void EndIfCancelled();
// Ends the calling thread of a C program. From here on it is not cancelled: its cleanup handlers
// and destructors may call functions that are cancellation points.
[[noreturn]] void End(void* result);
// Does the calling thread let itself be cancelled? Returns the state before. Outside of workers it
// is kEnabled, and stays so.
enum class CancelState { kDisabled, kEnabled };
CancelState SetCancelState(CancelState state);

// A wait for `changed` with `mutex` held, as pthread_cond_wait: a cancellation point, at which the
// mutex is held again. False: it was the deadline that ended it.
bool WaitForChange(ConditionVariable& changed, OwnedLock& mutex, std::optional<Deadline> deadline);

// A cancellation point.
void SleepOrEnd(Deadline deadline);
// As SleepOrEnd, until `word` is not `value` any more: the thread that changes it calls EndSleep.
// True: the thread slept to the end. Without a deadline it sleeps for ever.
[[nodiscard]] bool SleepUnlessChanged(std::optional<Deadline> deadline,
                                      const std::atomic<std::uint32_t>& word, std::uint32_t value);
// Any wait of the thread for a condition may return for it, as for no reason.
void EndSleep(const Descriptor& thread);

}  // namespace lwt::c
