// A child of fork(2) has one thread: the workers of a pool that its parent made are not there.
//
// Threads: any.
#pragma once

namespace lwt {

// A child's is its parent's plus one, if the parent has asked.
int ProcessGeneration();

}  // namespace lwt
