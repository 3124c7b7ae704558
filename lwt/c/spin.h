// Spin locks of C programs, whose holder may be a lightweight thread that is suspended.
//
// Threads: any, inside and outside of pools.
// Order: what came before UnlockSpin happens before what follows the next LockSpin (acquire,
// release).
#pragma once

namespace lwt::c {

// `word`: 0 while it is free, else 1.
bool TryLockSpin(volatile int& word);
// Lets other threads of the worker run while it waits: the holder may be one of them.
void LockSpin(volatile int& word);
void UnlockSpin(volatile int& word);

}  // namespace lwt::c
