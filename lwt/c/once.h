// What is done once: pthread_once and myth_once.
//
// Threads: any, inside and outside of pools.
// Order: the call of `routine` happens before what follows each Once that returns (state: release,
//   acquire).
#pragma once

namespace lwt::c {

// `state`: 0 at first, 1 while `routine` runs, 2 afterwards. Calls that come meanwhile wait. What
// `routine` throws leaves Once, and it is as if it had not been called.
void Once(volatile int& state, void (*routine)());

}  // namespace lwt::c
